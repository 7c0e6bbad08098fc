import JSON
import RingiClient
import Testing

/// The commands whose whole is a call and a few lines.
@Suite struct OtherCommandsTests {
  @Test func refreshSaysWhatCame() throws {
    let run = try Ringi.run("refresh", "sap") { _, _ in .result(["polled": ["sap"], "ready": 2, "changed": 1]) }
    #expect(run.requests.map(\.params) == [["provider": "sap"]])
    #expect(run.output == "Polled sap: 2 newly ready, 1 changed.\n")
    let none = try Ringi.run("refresh") { _, _ in .result(["polled": [], "ready": 0, "changed": 0]) }
    #expect(none.output == "No plugin has tasks to poll for.\n")
  }

  private static let failed: JSONValue = [
    "provider": "web", "code": -32006, "message": "It is busy.", "data": ["kind": "unavailable", "retryAfter": 7],
  ]

  @Test(arguments: [[], ["--json"]])
  func aPollThatFailsBesideOthersIsToldAndIsAnError(options: [String]) throws {
    let result: JSONValue = ["polled": ["sap"], "ready": 0, "changed": 0, "failed": [Self.failed]]
    let run = try Ringi.run(["refresh"] + options) { _, _ in .result(result) }
    #expect(run.code == .temporary)
    #expect(run.output == (options.isEmpty ? "Polled sap: 0 newly ready, 0 changed.\n" : "\(result)\n"))
    #expect(run.errors == "ringi: The poll of web failed: It is busy.\n  Try again in 7 s.\n")
  }

  @Test func ofSeveralPollsThatFailEachIsTold() throws {
    let other: JSONValue = [
      "provider": "mail", "code": -32003, "message": "Log in.", "data": ["kind": "login-required"],
    ]
    let some = try Ringi.run("refresh") { _, _ in
      .result(["polled": ["sap"], "ready": 0, "changed": 0, "failed": [other, Self.failed]])
    }
    #expect(some.code == .notPermitted)
    #expect(some.errors == "ringi: 2 polls failed:\n  mail: Log in.\n  web: It is busy.\n")
    let all = try Ringi.run("refresh") { _, _ in
      .error(["code": -32003, "message": "None; mail: Log in.", "data": ["failed": [other, Self.failed]]])
    }
    #expect(all.errors == "ringi: None; mail: Log in.\n  web: It is busy.\n")
  }

  @Test func sayTellsWhatHappened() throws {
    let run = try Ringi.run("say", "だいじょぶだぁ") { _, _ in
      .result([
        "phrase": "だいじょぶだぁ", "method": "tasks.approve",
        "result": ["task": ["id": "sap/1", "title": "発注300280の承認", "outcome": "approved"], "event": [:]],
      ])
    }
    #expect(run.requests.map(\.params) == [["text": "だいじょぶだぁ"]])
    #expect(run.output == "だいじょぶだぁ → tasks.approve\nApproved: 発注300280の承認 (sap/1)\n")
  }

  @Test func sayShowsAnyOtherResultAsJSON() throws {
    let run = try Ringi.run("say", "go", "on") { _, params in
      .result(["phrase": params["text"] ?? .null, "method": "sap.workflow.start", "result": ["id": "7"]])
    }
    #expect(run.output == "go on → sap.workflow.start\n{\"id\":\"7\"}\n")
  }

  @Test func eventsAreATable() throws {
    let event: JSONValue = ["type": "build-done", "sequence": 41, "time": "2026-11-29T05:09:00Z", "data": ["ok": true]]
    let run = try Ringi.run("events", "--limit", "1") { _, _ in .result(["events": [event], "sequence": 41]) }
    #expect(run.requests.map(\.params) == [["limit": 1]])
    #expect(
      run.output == """
        SEQUENCE  TIME                 TYPE        WHAT
              41  2026-11-29 14:09:00  build-done  {"ok":true}

        """)
  }

  @Test func allEventsAreFetchedUnlessLimited() throws {
    let log: FakeAgent.Script = { _, params in
      let since = params["since"]?.int ?? 0
      let events: [JSONValue] = since < 3 ? [["type": "x", "sequence": JSONValue(since + 1)]] : []
      return .result(["events": JSONValue(array: events), "sequence": JSONValue(min(since + 1, 3))])
    }
    let all = try Ringi.run("events", "--json", script: log)
    #expect(try JSONValue(parsing: all.output)["events"]?.array?.map { $0["sequence"]?.int } == [1, 2, 3])
    #expect(try Ringi.run("events", "--limit", "1", script: log).requests.count == 1)
  }

  @Test func publishTakesDataEitherWay() throws {
    let script: FakeAgent.Script = { _, params in .result(["event": params.setting("sequence", to: 42)]) }
    let pairs = try Ringi.run("publish", "build-done", "ok=true", "--subject", "ci/42", script: script)
    #expect(pairs.requests.map(\.params) == [["type": "build-done", "subject": "ci/42", "data": ["ok": true]]])
    #expect(pairs.output == "Published: build-done, event 42\n")
    let json = try Ringi.run("publish", "build-done", #"{"ok": true}"#, script: script)
    #expect(json.requests.map(\.params) == [["type": "build-done", "data": ["ok": true]]])
    #expect(try Ringi.run("publish", "lunch", script: script).requests.map(\.params) == [["type": "lunch"]])
  }

  @Test func eventsThatTheLogHasDroppedAreSaidToBeGone() throws {
    let lost: JSONValue = ["type": "events-lost", "sequence": 9, "data": ["from": 4, "to": 9]]
    let run = try Ringi.run("events", "--since", "3", "--limit", "1") { _, _ in .result(["events": [lost]]) }
    #expect(run.lines.last?.hasSuffix("events-lost  events 4 to 9 can't be shown: no longer kept") == true)
  }

  @Test func jobsShowTheirNextThreeTimes() throws {
    let next: JSONValue = [
      "2026-11-29T14:58:00Z", "2026-11-29T14:59:00Z", "2026-11-29T15:00:00Z", "2026-11-29T15:01:00Z",
    ]
    let run = try Ringi.run("jobs") { _, _ in
      .result([
        ["name": "tick", "schedule": ["every": "1m"], "upcoming": next, "last": nil, "failures": 0, "paused": false],
        ["name": "rest", "schedule": "0 9 * * 1-5", "upcoming": next, "last": nil, "failures": 2, "paused": true],
      ])
    }
    #expect(run.lines[1].contains("every 1m     2026-11-29 23:58:00, 23:59:00, 2026-11-30 00:00:00  -"))
    #expect(run.lines[2].contains("0 9 * * 1-5  paused "))
  }

  @Test(arguments: [("run", "Ran"), ("pause", "Paused"), ("resume", "Resumed")])
  func jobsCanBeActedOn(action: String, word: String) throws {
    let run = try Ringi.run("jobs", action, "tick") { _, _ in
      .result(["name": "tick", "upcoming": ["2026-11-29T05:20:00Z"]])
    }
    #expect(run.requests.map(\.method) == ["jobs.\(action)"])
    #expect(run.requests.map(\.params) == [["job": "tick"]])
    #expect(run.output == "\(word): tick; next 2026-11-29 14:20:00\n")
  }

  @Test(
    arguments: [
      (["hooks"], "hooks.list", [:]), (["hooks", "deliveries", "notify"], "hooks.deliveries", ["hook": "notify"]),
      (["hooks", "deliveries"], "hooks.deliveries", [:]),
      (["hooks", "test", "notify"], "hooks.test", ["hook": "notify"]),
      (["hooks", "test", "notify", #"{"type":"x"}"#], "hooks.test", ["hook": "notify", "event": ["type": "x"]]),
      (["hooks", "retry", "17"], "hooks.retry", ["delivery": 17]),
      (["hooks", "retry", "a/17"], "hooks.retry", ["delivery": "a/17"]),
      (["hooks", "retry", "a"], "hooks.retry", ["hook": "a"]),
      (["hooks", "discard", "17"], "hooks.discard", ["delivery": 17]),
      (["hooks", "discard", "a/17"], "hooks.discard", ["delivery": "a/17"]),
      (["hooks", "discard", "a"], "hooks.discard", ["hook": "a"]),
    ] as [([String], String, JSONValue)])
  func hooksAskTheAgent(arguments: [String], method: String, params: JSONValue) throws {
    let run = try Ringi.run(arguments) { _, _ in .result([["name": "notify", "lastError": nil]]) }
    #expect(run.code == .success)
    #expect(run.requests.map(\.method) == [method])
    #expect(run.requests.map(\.params) == [params])
  }

  @Test func discoverListsMethodsAndExplainsOne() throws {
    let script: FakeAgent.Script = { _, _ in
      .result([
        "openrpc": "1.3.2",
        "methods": [
          [
            "name": "tasks.list", "summary": "The tasks.",
            "params": [
              ["name": "status", "required": false, "schema": ["enum": ["ready", "done"]]],
              ["name": "limit", "schema": ["type": "integer", "description": "At most.", "minimum": 1, "maximum": 9]],
              ["name": "since", "schema": ["type": "number", "exclusiveMinimum": 0]],
            ],
          ],
          ["name": "agent.ping", "summary": "Pong.", "params": []],
        ],
      ])
    }
    #expect(
      try Ringi.run("discover", script: script).output
        == "METHOD      SUMMARY\ntasks.list  The tasks.\nagent.ping  Pong.\n")
    #expect(
      try Ringi.run("discover", "tasks.list", script: script).output == """
        tasks.list
          The tasks.

        PARAMETER  TYPE          REQUIRED  DESCRIPTION
        status     ready | done  no
        limit      integer 1…9   no        At most.
        since      number > 0    no

        """)
    #expect(
      try Ringi.run("discover", "tasks", script: script).output == "METHOD      SUMMARY\ntasks.list  The tasks.\n")
    let document = try JSONValue(parsing: Ringi.run("discover", "tasks.l", "--json", script: script).output)
    #expect(document["methods"]?.array?.map { $0["name"]?.string } == ["tasks.list"])
    let missing = try Ringi.run("discover", "tasks.lost", script: script)
    #expect(missing.code == .notFound && missing.errors.contains("Did you mean tasks.list?"))
  }

  @Test func reloadAndShutdownSayWhatHappens() throws {
    #expect(try Ringi.run("reload") { _, _ in .result(["changed": []]) }.output == "Reloaded; nothing changed.\n")
    let changed = try Ringi.run("reload") { _, _ in .result(["changed": ["plugins.d/sap.json"]]) }
    #expect(changed.output == "Reloaded; changed:\n  files  plugins.d/sap.json\n")
    #expect(try Ringi.run("shutdown") { _, _ in .result(.null) }.output == "The agent stops.\n")
  }
}
