import JSON
import RingiClient
import Testing

/// The commands whose whole is a call and a few lines.
@Suite struct OtherCommandsTests {
  @Test func refreshSaysWhatCame() throws {
    let run = try Ringi.run("refresh", "sap") { _, _ in .result(["polled": ["sap"], "ready": 2, "changed": 1]) }
    #expect(run.requests.map(\.params) == [["provider": "sap"]])
    #expect(run.output == "Polled sap: 2 ready, 1 changed.\n")
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
              ["name": "limit", "schema": ["type": "integer", "description": "At most."]],
            ],
          ]
        ],
      ])
    }
    #expect(try Ringi.run("discover", script: script).output == "METHOD      SUMMARY\ntasks.list  The tasks.\n")
    #expect(
      try Ringi.run("discover", "tasks.list", script: script).output == """
        tasks.list
          The tasks.

        PARAMETER  TYPE          REQUIRED  DESCRIPTION
        status     ready | done  no        \("")
        limit      integer       no        At most.

        """)
    #expect(try Ringi.run("discover", "x", script: script).code == .notFound)
  }

  @Test func reloadAndShutdownSayWhatHappens() throws {
    #expect(try Ringi.run("reload") { _, _ in .result(["changed": []]) }.output == "Reloaded; nothing changed.\n")
    let changed = try Ringi.run("reload") { _, _ in .result(["changed": ["plugins.d/sap.json"]]) }
    #expect(changed.output == "Reloaded; changed:\n  files  plugins.d/sap.json\n")
    #expect(try Ringi.run("shutdown") { _, _ in .result(.null) }.output == "The agent stops.\n")
  }
}
