import HTTPServer
import JSON
import JSONRPC
import RingiTestSupport
import Sandbox
import Testing

/// The users API of the example, with its awkward parts.
@Suite struct RESTUsersTests {
  @Test func aUserIsMadeReadChangedAndRemoved() async throws {
    try await onLoop { () async throws in
      let rig = try RESTRig()
      let name = "佐藤 花子 👩‍💻 か\u{3099} ﾊﾅｺ"
      let made = try await rig.call("user.create", ["name": .init(name), "email": "hanako@acme.example"])
      #expect(made["name"]?.string?.utf8.elementsEqual(name.utf8) == true)
      let id = try required(made["id"])
      #expect(try await rig.call("user.get", ["id": id]) == made)
      let changed = try await rig.call("user.update", ["id": id, "tel": "03-0000-0000"])
      #expect(changed["tel"] == "03-0000-0000" && changed["name"] == made["name"])
      #expect(try await rig.call("user.update", ["id": id, "tel": .null])["tel"] == .null)
      #expect(try await rig.call("user.delete", ["id": id]) == .null)
      #expect(try await rig.failure("user.get", ["id": id]).kind == "not-found")
    }
  }

  @Test func aRecordThatIsNotThereAnyMoreCountsAsRemoved() async throws {
    try await onLoop { () async throws in
      #expect(try await RESTRig().call("user.delete", ["id": 7]) == .null)
    }
  }

  /// Pitfall 10.
  @Test func namesAreCamelCaseHereAndSnakeCaseThere() async throws {
    try await onLoop { () async throws in
      let rig = try RESTRig()
      let id = rig.sandbox?.with { $0.makeUser("Hanako", email: "h@acme.example") } ?? 0
      let user = try await rig.call("user.get", ["id": .init(id)])
      #expect(user.object?.keys == ["id", "name", "email", "tel", "createdAt", "updatedAt", "avatarUrl"])
      try await rig.call("user.list", ["updatedSince": "2026-01-01T00:00:00Z"])
      let query = rig.sandbox?.with { $0.log.entries.last?.request.query.map(\.name) }
      #expect(query == ["updated_since", "per_page", "page"])
    }
  }

  /// Pitfall 11.
  @Test func datesStayAsTheServiceWritesThem() async throws {
    try await onLoop { () async throws in
      let rig = try RESTRig()
      var dates: Set<String> = []
      for _ in 0..<4 {
        let id = rig.sandbox?.with { $0.makeUser("Hanako", email: "h@acme.example") } ?? 0
        dates.insert(try required(try await rig.call("user.get", ["id": .init(id)])["createdAt"]?.string))
      }
      #expect(dates.count == 4)
      #expect(dates.contains { $0.hasSuffix("+09:00") } && dates.contains { $0.hasSuffix(".123456Z") })
    }
  }

  @Test func whatIsMissingIsSaidWithoutARequest() async throws {
    try await onLoop { () async throws in
      let rig = try RESTRig()
      let error = try await rig.failure("user.create", ["name": "Hanako"])
      #expect(error.kind == "invalid-params" && error.message.contains("email"))
      #expect(try await rig.failure("user.update", ["name": "x"]).kind == "invalid-params")
      #expect(rig.requests.isEmpty)
    }
  }

  @Test func aRefusalSaysWhichFieldsAndWhy() async throws {
    try await onLoop { () async throws in
      let rig = try RESTRig()
      let error = try await rig.failure("user.create", ["name": "Hanako", "email": "nobody"])
      #expect(error.kind == "backend-error" && error.details["status"] == 422)
      #expect(error.details["code"] == "validation_failed")
      #expect(error.details["details"] == ["email": ["is invalid"]])
      #expect(error.message.contains("email is invalid"))
    }
  }

  @Test(arguments: [UsersAPISwitches.ErrorShape.problem, .list, .message])
  func everyShapeOfRefusalHasAMessage(_ shape: UsersAPISwitches.ErrorShape) async throws {
    try await onLoop { () async throws in
      let rig = try RESTRig(changing: ["errors": [:]]) { $0.switches.errorShape = shape }
      let error = try await rig.failure("user.create", ["name": "Hanako", "email": "nobody"])
      #expect(error.details["status"] == 422)
      let says = shape == .message ? "The record is not valid" : "is invalid"
      #expect(error.message.contains(says), "\(error)")
    }
  }

  @Test func aFailureInDisguiseIsAFailure() async throws {
    try await onLoop { () async throws in
      let rig = try RESTRig { $0.switches.hidesErrors = true }
      let error = try await rig.failure("user.create", ["name": "Hanako", "email": "nobody"])
      #expect(error.kind == "backend-error" && error.details["code"] == "validation_failed")
    }
  }

  @Test func aListIsReadToItsEndOverAllPages() async throws {
    try await onLoop { () async throws in
      let rig = try RESTRig()
      rig.sandbox?.with { state in for n in 1...250 { state.makeUser("User \(n)", email: "u\(n)@acme.example") } }
      let found = try await rig.call("user.list")
      #expect(found["items"]?.array?.count == 250 && found["complete"] == true)
      #expect(rig.requests.count == 3)
      let some = try await rig.call("user.list", ["limit": 10])
      #expect(some["items"]?.array?.count == 10 && some["complete"] == false)
    }
  }

  @Test func rowsThatMoveBetweenPagesAreGivenOnceEach() async throws {
    try await onLoop { () async throws in
      let rig = try RESTRig { $0.switches.drift = true }
      rig.sandbox?.with { state in for n in 1...250 { state.makeUser("User \(n)", email: "u\(n)@acme.example") } }
      let ids = try await rig.call("user.list")["items"]?.array?.compactMap { $0["id"]?.int } ?? []
      #expect(ids.count == 250 && Set(ids).count == ids.count)
    }
  }

  /// Pitfall 12.
  @Test func multipartOnAPatchIsReadByAServiceThatCan() async throws {
    var settings = try RESTRig.example()
    let pointer = ["resources", "user", "operations", "update"]
    settings = replacing(settings, pointer[...]) { $0.setting("body", to: "multipart") }
    let resources = settings["resources"] ?? .null
    try await onLoop { () async throws in
      let rig = try RESTRig(changing: ["resources": resources]) { $0.switches.patchMultipart = .parse }
      let id = rig.sandbox?.with { $0.makeUser("Hanako", email: "h@acme.example") } ?? 0
      let changed = try await rig.call("user.update", ["id": .init(id), "name": "花子\r\n--x\"", "tel": .null])
      #expect(changed["name"] == "花子\r\n--x\"" && changed["tel"] == .null)
    }
  }

  private func replacing(
    _ value: JSONValue, _ path: ArraySlice<String>, _ change: (JSONValue) -> JSONValue
  ) -> JSONValue {
    guard let first = path.first else { return change(value) }
    return value.setting(first, to: replacing(value[first] ?? .null, path.dropFirst(), change))
  }
}
