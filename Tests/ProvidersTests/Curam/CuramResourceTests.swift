import EventLoop
import HTTPServer
import JSON
import JSONRPC
import RingiCore
import RingiTestSupport
import Sandbox
import Testing

@Suite struct CuramResourceTests {
  /// K21.
  @Test(arguments: [false, true], ["9007199254740993", 9_007_199_254_740_993] as [JSONValue])
  func identifiersStayExact(_ areNumbers: Bool, _ id: JSONValue) async throws {
    try await onLoop {
      let rig = try CuramRig { $0.numericIDs = areNumbers }
      let person = try await rig.call("persons.get", ["id": id])
      #expect(person["fullName"] == "Eva Exact")
      #expect(person["concernRoleID"] == (areNumbers ? 9_007_199_254_740_993 : "9007199254740993"))
    }
  }

  @Test func relationshipsAreAnArrayAlsoWhereThereAreNone() async throws {
    try await onLoop {
      let rig = try CuramRig { $0.extraFields = true }
      let ada = try await rig.call("persons.relationships", ["id": "101"])
      #expect(ada["relationships"]?[0]?["fullName"] == "Ben Example")
      #expect(try await rig.call("persons.relationships", ["id": "102"]) == ["relationships": []])
    }
  }

  /// K22.
  @Test func aListIsUnwrapped() async throws {
    try await onLoop {
      let rig = try CuramRig()
      rig.sandbox.with { $0.setResource("cases", ["data": [["id": "1"], ["id": "2"]]]) }
      #expect(try await rig.call("resource.list", ["path": "/cases"])["data"]?.array?.count == 2)
      #expect(try await rig.failure("resource.list", ["path": "persons/101"]).kind == "backend-error")
    }
  }

  @Test func queriesArePassedOnEncoded() async throws {
    try await onLoop {
      let rig = try CuramRig()
      let params: JSONValue = ["path": "ua/application_form", "query": ["q": "a&b=ü +", "p": "1"]]
      try await rig.call("resource.list", params)
      #expect(rig.requests.last?.query == [.init(name: "p", value: "1"), .init(name: "q", value: "a&b=ü +")])
    }
  }

  /// K23.
  @Test(arguments: [false, true]) func whatWasMadeIsFoundByTheLastPartOfItsAddress(_ isBad: Bool) async throws {
    try await onLoop {
      let rig = try CuramRig { $0.badLocation = isBad }
      let form: JSONValue = ["path": "ua/application_form", "body": ["name": "Ada"]]
      let id = try required(try await rig.call("resource.create", form)["id"]?.string)
      let made = try await rig.call("resource.get", ["path": .init("ua/application_form/\(id)")])
      #expect(made["body"]?["name"] == "Ada")
    }
  }

  @Test func anUpdateIsAPut() async throws {
    try await onLoop {
      let rig = try CuramRig()
      let answer = try await rig.call("resource.update", ["path": "persons/102", "body": ["fullName": "Ben Other"]])
      #expect(answer["body"]?["fullName"] == "Ben Other")
      #expect(rig.lines.last == "PUT /v1/persons/102")
    }
  }

  @Test(arguments: ["persons/../users", "persons//1", "/", "persons/1?x=1", "./persons"])
  func aPathThatIsNoneIsRefused(_ path: String) async throws {
    try await onLoop {
      let rig = try CuramRig()
      #expect(try await rig.failure("resource.get", ["path": .init(path)]).kind == "invalid-params")
      #expect(rig.lines.isEmpty)
    }
  }

  // MARK: Refusals

  @Test func everyEntryOfARefusalIsSaid() async throws {
    try await onLoop {
      let rig = try CuramRig { $0.twoErrors = true }
      let error = try await rig.failure("persons.get", ["id": "x"])
      #expect(error.kind == "backend-error" && error.details["status"] == 400)
      #expect(error.details["messages"]?.array?.count == 2)
      #expect(!error.isRetryable)
    }
  }

  /// K25.
  @Test(arguments: [("fr", "L'enregistrement"), ("ja", "レコード"), ("en", "The record")])
  func theLanguageIsTheSettingsAndNotTheMachines(_ language: String, _ words: String) async throws {
    try await onLoop {
      let rig = try CuramRig(settings: ["language": .init(language)])
      let error = try await rig.failure("persons.get", ["id": "999"])
      #expect(error.kind == "not-found" && error.message.contains(words))
      #expect(rig.requests.allSatisfy { $0.headers["Accept-Language"] == language })
    }
  }

  @Test func aMissingRightIsNoMissingLogin() async throws {
    try await onLoop {
      let rig = try CuramRig(settings: ["user": "newcomer"])
      rig.password = "newcomer-1"
      let error = try await rig.failure("persons.get", ["id": "101"])
      #expect(error.kind == "backend-error" && error.details["status"] == 403)
      #expect(rig.logins == 1)
    }
  }

  @Test func aBodyThatIsNoJSONIsNoResource() async throws {
    try await onLoop {
      let rig = try CuramRig()
      try rig.inject(.malformedJSON, on: "GET /v1/persons/*")
      #expect(try await rig.failure("persons.get", ["id": "101"]).kind == "backend-error")
    }
  }

  // MARK: Trouble

  @Test(arguments: [500, 502, 503, 504]) func aReadIsTriedAgain(_ status: Int) async throws {
    try await onLoop {
      let rig = try CuramRig()
      try rig.inject(.status(status), on: "GET /v1/persons/*", count: 2)
      try await rig.call("persons.get", ["id": "101"])
      #expect(rig.lines.filter { $0 == "GET /v1/persons/101" }.count == 3)
    }
  }

  /// BR-101.
  @Test(
    arguments: [
      .reset(applied: true), .status(502, applied: true), .status(429), .truncatedBody(reset: true),
    ] as [Fault.Kind], ["resource.create", "resource.update"])
  func aWriteWhoseAnswerIsLostIsNeverSentTwice(_ fault: Fault.Kind, _ method: String) async throws {
    try await onLoop {
      let rig = try CuramRig()
      let path = method == "resource.create" ? "ua/application_form" : "persons/101"
      try rig.inject(fault, on: "* /v1/\(path)")
      // An answer without a body can't be cut short.
      if case .truncatedBody = fault, method == "resource.create" { return }
      let error = try await rig.failure(method, ["path": .init(path), "body": ["a": 1]])
      #expect(error.kind == "outcome-unknown")
      #expect(rig.lines.filter { $0.hasSuffix(path) }.count == 1)
    }
  }
}
