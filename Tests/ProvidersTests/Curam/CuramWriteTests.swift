import EventLoop
import HTTPServer
import JSON
import JSONRPC
import RingiCore
import RingiKit
import RingiModel
import RingiTestSupport
import Testing

/// What the answers to writes say of them.
@Suite struct CuramWriteTests {
  private static let html: ServerHeaders = ["Content-Type": "text/html"]

  private static func moved(_ status: Int, to place: String) -> ServerResponse {
    ServerResponse(status: status, headers: ["Location": place])
  }

  /// A service with one task, which gives the answers to closings one after the other, and closes at each.
  private func server(_ answers: [ServerResponse]) throws -> ScriptedServer {
    let closings = Counter()
    return try ScriptedServer { request, _ in
      if request.path.hasSuffix("/j_security_check") {
        return ServerResponse(status: 200, headers: ["Set-Cookie": "LtpaToken2=0123456789abcdef; Path=/"])
      }
      guard request.method == "GET" else {
        closings.add()
        return answers[min(closings.value, answers.count) - 1]
      }
      let task = #"{"taskID":"7","status":"\#(closings.value > 0 ? "CLOSED" : "OPEN")","subject":"pay"}"#
      return .data(request.path.hasSuffix("/tasks") ? #"{"data":[\#(task)]}"# : task)
    }
  }

  @Loop private func rig(_ server: ScriptedServer) throws -> CuramRig {
    try CuramRig(settings: ["url": .init(server.url + "/Rest"), "tasks": ["path": "acme/tasks"]])
  }

  private func count(_ server: ScriptedServer, _ end: String) -> Int {
    server.requests.count { $0.method == "POST" && $0.path.hasSuffix(end) }
  }

  /// Some servers call an empty body a page.
  @Test(arguments: [
    ServerResponse(status: 200, headers: html), ServerResponse(status: 200, headers: html, text: "\r\n"),
    ServerResponse(status: 204, headers: html), ServerResponse(status: 201, headers: html, text: "<p>Created</p>"),
    ServerResponse(status: 202), .data("no JSON"),
  ])
  func aSuccessIsASuccessWhateverItsBodyIsCalled(_ answer: ServerResponse) async throws {
    let server = try server([answer])
    try await onLoop {
      let rig = try rig(server)
      let task = try required(try await rig.items().first)
      #expect(try await rig.decide(.complete, task).status == .done)
      #expect(count(server, "/close") == 1 && count(server, "/j_security_check") == 1)
    }
  }

  @Test(arguments: [
    moved(303, to: "/Rest/v1/acme/tasks/7"), moved(302, to: "/Rest/v1/acme/tasks/7"),
    moved(303, to: "http://inside.example/Rest/v1/acme/tasks/7"),
    moved(302, to: "https://127.0.0.1:9044/Rest/v1/acme/tasks/7"), ServerResponse(status: 302),
    ServerResponse(status: 200, headers: html, text: "<h1>Thank you</h1>"),
  ])
  func whatMayBeHowTheServiceEndsWhatItHasDoneIsUnclearAndNotSentAgain(_ answer: ServerResponse) async throws {
    let server = try server([answer])
    try await onLoop {
      let rig = try rig(server)
      let task = try required(try await rig.items().first)
      await #expect(throws: UnclearOutcome.self) { try await rig.decide(.complete, task) }
      #expect(count(server, "/close") == 1 && count(server, "/j_security_check") == 1)
      let error = try await rig.failure("resource.create", ["path": "acme/tasks", "body": [:]])
      #expect(error.kind == "outcome-unknown" && count(server, "/acme/tasks") == 1)
    }
  }

  @Test(arguments: [
    ServerResponse(status: 401), moved(302, to: "/Rest/logon.jsp;jsessionid=1?a=b"),
    moved(302, to: "https://idp.example/saml?ticket=a"), moved(303, to: "/Curam/j_security_check"),
    ServerResponse(status: 200, headers: html, text: "<form action='j_security_check'>"),
    ServerResponse(status: 200, headers: html, text: "<INPUT TYPE=\"password\">"),
  ])
  func whatIsKnownToBeALoginHasDoneNothingAndTheWriteIsSentAgain(_ answer: ServerResponse) async throws {
    let server = try server([answer, .data("{}")])
    try await onLoop {
      let rig = try rig(server)
      let task = try required(try await rig.items().first)
      #expect(try await rig.decide(.complete, task).status == .done)
      #expect(count(server, "/close") == 2 && count(server, "/j_security_check") == 2)
    }
  }

  @Test(arguments: [201, 204]) func whatWasMadeIsFoundByTheLastPartOfItsAddressOnAnEmptyPage(
    _ status: Int
  ) async throws {
    let location: ServerHeaders = ["Content-Type": "text/html", "Location": "http://gateway/Rest/v1/acme/tasks/7"]
    let server = try server([ServerResponse(status: status, headers: location)])
    try await onLoop {
      let made = try await rig(server).call("resource.create", ["path": "acme/tasks", "body": ["subject": "x"]])
      #expect(made["id"] == "7" && count(server, "/acme/tasks") == 1)
    }
  }
}
