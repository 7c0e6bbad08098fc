import JSON
import RingiTestSupport
import Sandbox
import Testing

/// What all answers have in common: errors, headers, limits.
@Suite struct SAPAnswerTests {
  @Test(arguments: SAPEnvironment.allCases)
  func unknownPathsAreHTML(environment: SAPEnvironment) throws {
    let sandbox = try startedSandbox(environment)
    let client = try SandboxClient.privileged(sandbox, environment)
    let targets = [
      "/", "/v1/task-instances", "/workflow-service/rest/v2/x", "/workflow-service/rest/v1/task-instances/",
    ]
    for target in targets + [
      "/workflow-service/rest/v1/task-instances/a/b", "/internal/v1/task-instances/a/form/model",
    ] {
      let answer = try client.send("GET", target)
      #expect(answer.status == 404)
      #expect(answer["Content-Type"]?.hasPrefix("text/html") == true)
    }
  }

  @Test(arguments: SAPEnvironment.allCases)
  func aWrongMethodIsNotAllowed(environment: SAPEnvironment) throws {
    let sandbox = try startedSandbox(environment)
    let answer = try SandboxClient.privileged(sandbox, environment).write("POST", "/v1/task-instances", [:])
    #expect(answer.status == 405)
    #expect(answer["Allow"] == "GET")
  }

  @Test func bothBasePathsOfSBPAWork() throws {
    let sandbox = try startedSandbox(.sbpa)
    let client = try SandboxClient.oauth(sandbox)
    #expect(try client.send("GET", "/public/workflow/rest/v1/task-instances").status == 200)
    #expect(try client.send("GET", "/workflow/rest/v1/task-instances").status == 200)
    #expect(try client.send("GET", "/workflow-service/rest/v1/task-instances").status == 404)
  }

  @Test func missingScopesAreRefusedWithoutACodeUnlessItIsSwitchedOn() throws {
    let sandbox = try startedSandbox(.cf) {
      $0.clients = [SAPClient(id: SAPClient.standardID, secret: SAPClient.standardSecret, scopes: [])]
    }
    let client = try SandboxClient.oauth(sandbox)
    let answer = try client.get("/v1/task-instances")
    #expect(answer.status == 403)
    #expect(answer.text == #"{"error":{"message":"User does not have sufficient privileges."}}"#)
    #expect(answer.body.count == 65)
    #expect(answer["Content-Type"] == "application/json;charset=UTF-8")
    #expect(answer["X-CSRF-Token"] == nil)
    sandbox.control.changeSwitches { $0.privilegesCode = true }
    #expect(
      try client.get("/v1/task-instances").code == "bpm.workflowruntime.rest.user.not.sufficient.privileges")
  }

  @Test func aStrangerIsForbiddenATaskThatIsThere() throws {
    let sandbox = try startedSandbox(.neo)
    var draft = SAPTaskDraft()
    draft.recipientUsers = ["P1000002"]
    let id = try #require(try sandbox.control.createTasks(draft).first)
    let stranger = try SandboxClient.neo(sandbox, SandboxClient.recipient)
    #expect(try stranger.get("/v1/task-instances/\(id)").status == 403)
    #expect(try stranger.get("/v1/task-instances/\(id)/context").status == 403)
    #expect(try stranger.patchTask(id, ["status": "COMPLETED"]).status == 403)
    #expect(try stranger.get("/v1/task-instances/none").status == 404)
    let recipient = try SandboxClient.neo(sandbox, "P1000002:approve-2")
    #expect(try recipient.get("/v1/task-instances/\(id)").status == 200)
    #expect(try recipient.get("/v1/task-instances/\(id)/context").status == 200)
  }

  @Test func codesAreSpeltAsSwitched() throws {
    let sandbox = try startedSandbox(.neo)
    let client = try SandboxClient.neo(sandbox)
    #expect(try client.get("/v1/task-instances/x").code == "bpm.workflowruntime.rest.task.not.found")
    sandbox.control.changeSwitches { $0.errorCodeStyle = .plain }
    #expect(try client.get("/v1/task-instances/x").code == "bpm.workflowruntime.task.not.found")
    sandbox.control.changeSwitches { $0.rateLimit = 0 }
    #expect(try client.get("/v1/task-instances/x").code == "bpm.workflowruntime.rate.limit.exceeded")
  }

  @Test func errorsCarryAFreshLogIDButForThreeKinds() throws {
    let sandbox = try startedSandbox(.neo)
    let client = try SandboxClient.neo(sandbox)
    let first = try client.get("/v1/task-instances/x")
    let second = try client.get("/v1/task-instances/x")
    #expect(first.hasLogID)
    #expect(first.text != second.text)
    let id = try #require(try sandbox.control.createTasks().first)
    #expect(try !client.patchTask(id, ["status": "x"]).hasLogID)
    #expect(try !SandboxClient.neo(sandbox, SandboxClient.recipient).get("/v1/task-instances").hasLogID)
    sandbox.control.changeSwitches { $0.rateLimit = 0 }
    #expect(try !client.get("/v1/task-instances").hasLogID)
  }

  @Test func requestsBeyondTheRateAreRefusedUntilTheNextSecond() throws {
    let sandbox = try startedSandbox(.neo)
    let client = try SandboxClient.neo(sandbox)
    sandbox.control.advanceClock(by: .seconds(1))
    sandbox.control.changeSwitches { $0.rateLimit = 2 }
    let statuses = try (0..<4).map { _ in try client.get("/v1/task-instances").status }
    #expect(statuses == [200, 200, 429, 429])
    #expect(try client.get("/v1/task-instances")["Retry-After"] == nil)
    sandbox.control.changeSwitches { $0.rateLimitRetryAfter = "7" }
    #expect(try client.get("/v1/task-instances")["Retry-After"] == "7")
    sandbox.control.advanceClock(by: .seconds(1))
    #expect(try client.get("/v1/task-instances").status == 200)
  }

  @Test func headersSayWhatEachEnvironmentSays() throws {
    let neo = try SandboxClient.neo(try startedSandbox(.neo)).get("/v1/task-instances")
    #expect(neo["X-Content-Type-Options"] == "nosniff")
    #expect(neo["Server"] == "SAP")
    #expect(neo["Content-Type"] == "application/json")
    #expect(neo["Date"] == "Sun, 13 Sep 2020 12:26:40 GMT")
    for (environment, sniff) in [(SAPEnvironment.cf, "nosniff, nosniff"), (.sbpa, "nosniff")] {
      let client = try SandboxClient.oauth(try startedSandbox(environment))
      for answer in [try client.get("/v1/task-instances"), try client.get("/v1/task-instances/x")] {
        #expect(answer["X-Content-Type-Options"] == sniff)
        #expect(answer["Cache-Control"] == "no-cache, no-store, max-age=0, must-revalidate")
        #expect(answer["Pragma"] == "no-cache")
        #expect(answer["Expires"] == "0")
        #expect(answer["X-Frame-Options"] == "DENY")
        #expect(answer["X-Vcap-Request-Id"]?.count == 36)
      }
    }
  }

  @Test func headerNamesAreSpeltAsSwitched() throws {
    let sandbox = try startedSandbox(.neo)
    let client = SandboxClient(sandbox, basic: SandboxClient.admin)
    func names() throws -> [String] {
      try client.get("/v1/xsrf-token", headers: [("X-CSRF-Token", "Fetch")]).headers.map(\.name)
        .filter { $0 != "Content-Length" }
    }
    #expect(try names().contains("X-CSRF-Token"))
    sandbox.control.changeSwitches { $0.headerCase = .lower }
    #expect(try names().allSatisfy { $0 == $0.lowercased() })
    sandbox.control.changeSwitches { $0.headerCase = .random }
    #expect(try names().contains { $0 != $0.lowercased() && $0 != $0.uppercased() })
    #expect(try client.get("/v1/xsrf-token", headers: [("X-CSRF-Token", "Fetch")])["x-csrf-token"]?.count == 32)
  }

  @Test func textBeyondASCIIStaysUTF8() throws {
    let sandbox = try startedSandbox(.neo)
    let context: JSONValue = ["request": ["item": "稟議書 🖊", "qty": 1]]
    let client = try SandboxClient.neo(sandbox)
    let body: JSONValue = ["definitionId": "ringi_purchase", "context": context]
    #expect(try client.write("POST", "/v1/workflow-instances", body).status == 201)
    #expect(try client.get("/v1/task-instances").text.contains("Approve 1 稟議書 🖊"))
  }
}
