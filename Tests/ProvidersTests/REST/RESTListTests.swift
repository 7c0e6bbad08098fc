import EventLoop
import HTTPServer
import JSON
import JSONRPC
import RingiTestSupport
import Testing

/// Lists over pages, in each of the styles.
@Suite struct RESTListTests {
  private func settings(_ url: String, _ paging: JSONValue) -> JSONValue {
    let list: JSONValue = ["method": "GET", "path": "/rows", "result": "/rows", "paging": paging]
    return ["url": .init(url), "resources": ["row": ["operations": ["list": list]]]]
  }

  /// `count` rows from `start` on, with whatever else.
  private static func page(_ start: Int, _ count: Int, _ more: String = "", headers: ServerHeaders = [:])
    -> ServerResponse
  {
    let rows = (start..<start + count).map { "{\"id\":\($0)}" }.joined(separator: ",")
    return .data("{\"rows\":[\(rows)]\(more)}", headers: headers)
  }

  private static func value(_ name: String, _ request: ServerRequest) -> String {
    request.query.first { $0.name == name }?.value ?? ""
  }

  @Loop private func list(_ server: ScriptedServer, _ paging: JSONValue) async throws -> (count: Int, complete: Bool) {
    let answer = try await RESTRig(settings: settings(server.url, paging)).call("row.list")
    return (answer["items"]?.array?.count ?? -1, answer["complete"]?.bool ?? false)
  }

  @Test func pagesAreReadUntilTheTotalIsReached() async throws {
    let server = try ScriptedServer { _, n in Self.page(n * 1000, n < 3 ? 1000 : 500, ",\"meta\":{\"total\":2500}") }
    try await onLoop { () async throws in
      #expect(
        try await list(server, ["by": "page", "param": "p", "first": 0, "id": "/id", "total": "/meta/total"]) == (
          2500, true
        ))
      #expect(server.requests.map(\.target) == ["/rows?p=0", "/rows?p=1", "/rows?p=2"])
    }
  }

  @Test func aTotalMayStandInAHeader() async throws {
    let server = try ScriptedServer { _, n in Self.page(n * 10, 10, headers: ["X-Total-Count": "20"]) }
    try await onLoop { () async throws in
      #expect(
        try await list(server, ["by": "page", "param": "p", "id": "/id", "total": "X-Total-Count"]) == (20, true))
      #expect(server.requests.count == 2)
    }
  }

  @Test func aShortPageIsNotTheLast() async throws {
    let server = try ScriptedServer { _, n in Self.page(n * 10, n == 1 ? 3 : n == 2 ? 5 : 0) }
    try await onLoop { () async throws in
      #expect(try await list(server, ["by": "offset", "param": "skip", "sizeParam": "top", "size": 10]) == (8, true))
      #expect(server.requests.map(\.target) == ["/rows?top=10", "/rows?top=10&skip=3", "/rows?top=10&skip=8"])
    }
  }

  /// Pitfall 15.
  @Test func aCursorIsPassedOnAsItIs() async throws {
    let server = try ScriptedServer { request, _ in
      switch Self.value("c", request) {
      case "": Self.page(0, 2, #","next":"a+b/c==""#)
      case "a+b/c==": Self.page(2, 0, #","next":7"#)
      default: Self.page(2, 2, #","next":"""#)
      }
    }
    try await onLoop { () async throws in
      #expect(try await list(server, ["by": "cursor", "param": "c", "next": "/next"]) == (4, true))
      #expect(server.requests.map(\.target) == ["/rows", "/rows?c=a%2Bb%2Fc%3D%3D", "/rows?c=7"])
    }
  }

  @Test func aCursorThatComesAgainLaterIsCutOffToo() async throws {
    let server = try ScriptedServer { _, n in
      Self.page(n * 10, 2, n.isMultiple(of: 2) ? #","next":"x""# : #","next":"y""#)
    }
    try await onLoop { () async throws in
      let found = try await list(server, ["by": "cursor", "param": "c", "next": "/next"])
      #expect(found == (6, false) && server.requests.count == 3)
    }
  }

  @Test func linksAreFollowedRelativeAndAbsolute() async throws {
    let server = try ScriptedServer { request, n in
      let host = request.headers["Host"] ?? ""
      let links = [
        "", "</rows?after=1>; rel=\"next\"", "<http://\(host)/rows?after=2>; rel=next, </rows>; rel=first",
        "</rows?after=1>; rel=prev",
      ]
      return Self.page(n * 10, 2, headers: ["Link": links[n]])
    }
    try await onLoop { () async throws in
      #expect(try await list(server, ["by": "link", "id": "/id"]) == (6, true))
      #expect(server.requests.map(\.target) == ["/rows", "/rows?after=1", "/rows?after=2"])
    }
  }

  @Test func aLinkThatLeadsBackIsCutOff() async throws {
    let server = try ScriptedServer { _, n in Self.page(n * 10, 2, headers: ["Link": "</rows>; rel=next"]) }
    try await onLoop { () async throws in
      #expect(try await list(server, ["by": "link"]) == (2, false))
    }
  }

  @Test func aServiceThatIgnoresThePageIsCutOff() async throws {
    let server = try ScriptedServer { _, _ in Self.page(0, 5) }
    try await onLoop { () async throws in
      #expect(try await list(server, ["by": "page", "param": "p", "id": "/id"]) == (5, false))
      #expect(server.requests.count == 2)
    }
  }

  @Test func thereAreNoMorePagesThanTheSettingsAllow() async throws {
    let server = try ScriptedServer { _, n in Self.page(n * 10, 5) }
    try await onLoop { () async throws in
      #expect(try await list(server, ["by": "page", "param": "p", "maxPages": 4]) == (20, false))
      #expect(server.requests.count == 4)
    }
  }

  /// BR-092.
  @Test func aListWhoseTotalChangesIsReadAnew() async throws {
    // A row goes while the first reading is under way, so that another one moves to a page that was read.
    let server = try ScriptedServer { request, n in
      switch (n, Self.value("p", request)) {
      case (1, _): Self.page(0, 10, ",\"total\":20")
      case (2, _): Self.page(11, 9, ",\"total\":19")
      case (_, "1"): Self.page(1, 10, ",\"total\":19")
      default: Self.page(11, 9, ",\"total\":19")
      }
    }
    try await onLoop { () async throws in
      #expect(try await list(server, ["by": "page", "param": "p", "id": "/id", "total": "/total"]) == (19, true))
      #expect(server.requests.count == 4)
    }
  }

  /// BR-092.
  @Test func aPageThatFailsFailsTheList() async throws {
    let server = try ScriptedServer { _, n in n == 3 ? .data("{}", status: 400) : Self.page(n * 10, 10) }
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: settings(server.url, ["by": "page", "param": "p"]))
      #expect(try await rig.failure("row.list").kind == "backend-error")
    }
  }

  @Test(arguments: [#"{"href":"/rows?p=2"}"#, #"["/rows?p=2"]"#, "2", "true"])
  func aNextAddressThatIsNoTextIsNotTheEnd(_ next: String) async throws {
    let server = try ScriptedServer { _, n in Self.page(n * 10, 2, ",\"next\":\(n == 1 ? next : "null")") }
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: settings(server.url, ["by": "link", "next": "/next"]))
      let error = try await rig.failure("row.list")
      #expect(error.kind == "backend-error" && error.message.contains("no text"), "\(error)")
    }
  }

  @Test(arguments: ["-1", "0", "9", "\"x\"", "null"])
  func aTotalBelowTheRowsThatAreThereIsNone(_ total: String) async throws {
    let server = try ScriptedServer { _, n in Self.page(n * 10, n < 3 ? 10 : 0, ",\"total\":\(total)") }
    try await onLoop { () async throws in
      #expect(try await list(server, ["by": "page", "param": "p", "id": "/id", "total": "/total"]) == (20, true))
      #expect(server.requests.count == 3)
    }
  }

  @Test func whatIsNoLinkInALinkHeaderHidesNoOther() async throws {
    let server = try ScriptedServer { _, n in
      Self.page(n * 10, 2, headers: n == 1 ? ["Link": "next; rel=\"next\", </rows?after=1>; rel=next"] : [:])
    }
    try await onLoop { () async throws in
      #expect(try await list(server, ["by": "link"]) == (4, true))
    }
  }

  @Test(arguments: ["page", "offset"])
  func aServiceThatIgnoresThePageIsCutOffWithoutIdsToo(_ style: String) async throws {
    let server = try ScriptedServer { _, _ in Self.page(0, 5) }
    try await onLoop { () async throws in
      #expect(try await list(server, ["by": .init(style), "param": "p"]) == (5, false))
      #expect(server.requests.count == 2)
    }
  }

  @Test func rowsThatLookTheSameAreAllGivenWithoutAnId() async throws {
    let server = try ScriptedServer { _, n in
      .data(#"{"rows":[{"n":1},{"n":1},{"n":\#(n)}],"next":\#(n == 1 ? "7" : "null")}"#)
    }
    try await onLoop { () async throws in
      #expect(try await list(server, ["by": "cursor", "param": "c", "next": "/next"]) == (6, true))
    }
  }

  @Test func idsBeyond64BitsAreNotTakenForOne() async throws {
    let server = try ScriptedServer { _, n in
      .data(#"{"rows":[{"id":18446744073709551615,"n":\#(n)},{"id":18446744073709551614,"n":\#(n)}],"total":4}"#)
    }
    try await onLoop { () async throws in
      #expect(try await list(server, ["by": "page", "param": "p", "id": "/id", "total": "/total"]) == (4, true))
    }
  }

  @Test func aListOfMoreThanMemoryCanTakeIsAnErrorThatSaysWhatToDo() async throws {
    // JSON takes blanks between its parts.
    let blanks = String(repeating: " ", count: 15 << 20)
    let server = try ScriptedServer { _, n in Self.page(n * 10, 1, blanks + ",\"next\":\(n)") }
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: settings(server.url, ["by": "cursor", "param": "c", "next": "/next"]))
      let error = try await rig.failure("row.list")
      #expect(error.kind == "backend-error" && error.message.contains("more than 256 MiB"), "\(error)")
      #expect(server.requests.count == 18)
      #expect(try await rig.call("row.list", ["limit": 3])["items"]?.array?.count == 3)
    }
  }

  @Test func aPartOfAnAnswerIsNotTheList() async throws {
    let server = try ScriptedServer { _, n in
      .data(#"{"rows":[{"id":1}]}"#, status: 206, headers: ["Content-Range": "bytes 0-18/19000"])
    }
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: settings(server.url, ["by": "link"]))
      let error = try await rig.failure("row.list")
      #expect(error.kind == "backend-error" && error.message.contains("a part of the answer"), "\(error)")
    }
  }

  @Test func anAnswerThatCannotBeDecodedIsNoneAndNamesTheCharset() async throws {
    let server = try ScriptedServer { _, n in
      var answer = ServerResponse(status: 200, headers: ["Content-Type": "application/json; charset=euc-jp"])
      answer.body = Array(#"{"rows":[{"id":""#.utf8) + [0xC5, 0xEC] + Array(#""}]}"#.utf8)
      return answer
    }
    try await onLoop { () async throws in
      let error = try await RESTRig(settings: settings(server.url, ["by": "link"])).failure("row.list")
      #expect(error.kind == "backend-error" && error.message.contains("euc-jp"), "\(error)")
    }
  }
}
