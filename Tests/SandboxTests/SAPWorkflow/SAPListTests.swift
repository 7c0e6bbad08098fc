import JSON
import RingiTestSupport
import Sandbox
import Testing
import Timing

@Suite struct SAPListTests {
  private static let tasks = "/v1/task-instances"
  private static let instances = "/v1/workflow-instances"

  @Test func aListIsABareArrayOfAHundred() throws {
    let sandbox = try startedSandbox(.neo)
    let ids = try sandbox.control.createTasks(count: 2500)
    let client = try SandboxClient.neo(sandbox)
    #expect(try client.ids(Self.tasks) == Array(ids[..<100]))
    #expect(try client.ids(Self.tasks + "?%24top=1000&%24skip=2000") == Array(ids[2000...]))
    #expect(try client.ids(Self.tasks + "?$top=2&$skip=1") == Array(ids[1..<3]))
    #expect(try client.ids(Self.tasks + "?$top=0") == [])
    #expect(try client.ids(Self.tasks + "?$top=&$skip=4000") == [])
  }

  @Test(arguments: [
    "$top=1001", "$top=-1", "$top=abc", "$top=1&$top=1", "$top=+5", "$top=1.0", "$top=99999999999999999999",
    "$skip=4001", "$skip=-1", "$skip=0&$skip=0", "$inlinecount=AllPages", "$inlinecount=true",
    "$orderby=createdAt", "$orderby=createdAt%20ASC", "$orderby=createdat%20asc", "$orderby=createdAt%20%20asc",
    "$orderby=status%20asc", "$orderby=createdAt%20asc,id%20asc", "containsText=a&containsText=b", "status=OPEN",
    "createdAt=2020-09-13T12:26:40Z", "createdFrom=yesterday", "createdUpTo=20200913122640",
    "dueDate=2020-13-01T00:00:00.000Z", "createdAt=2020-09-13T12:26:40.000%2B00:00",
    "createdFrom=2021-01-01T00:00:00.000Z&createdUpTo=2020-01-01T00:00:00.000Z",
  ])
  func refusesParametersOutOfRangeOrMisspelt(query: String) throws {
    let answer = try SandboxClient.neo(try startedSandbox(.neo)).get(Self.tasks + "?" + query)
    #expect(answer.status == 400)
    #expect(answer.hasLogID)
  }

  @Test func countsAllPagesOnlyWhenAsked() throws {
    let sandbox = try startedSandbox(.neo)
    try sandbox.control.createTasks(count: 120)
    let client = try SandboxClient.neo(sandbox)
    #expect(try client.get(Self.tasks + "?$inlinecount=allpages&$top=5")["X-Total-Count"] == "120")
    #expect(try client.get(Self.tasks + "?$inlinecount=allpages&processor=x")["X-Total-Count"] == "0")
    #expect(try client.get(Self.tasks + "?$inlinecount=none")["X-Total-Count"] == nil)
    #expect(try client.get(Self.tasks)["X-Total-Count"] == nil)
  }

  /// Five tasks that differ in everything that can be asked for.
  private func variety() throws -> (SAPWorkflowSandbox, SandboxClient, [String]) {
    let sandbox = try startedSandbox(.neo)
    var ids: [String] = []
    let priorities: [SAPTask.Priority] = [.medium, .low, .veryHigh, .high, .medium]
    for (number, priority) in priorities.enumerated() {
      var draft = SAPTaskDraft()
      draft.subject = "Order \(number)"
      draft.priority = priority
      draft.recipientUsers = number < 2 ? ["P1000001", "P1000002"] : ["P1000002"]
      draft.recipientGroups = number == 4 ? ["g"] : []
      draft.attributes = [.init(id: "Country", label: "Country", value: number < 3 ? "JP" : "DE")]
      draft.createdAt = Timestamp(milliseconds: 1_600_000_000_000 + Int64(number) * 1000)
      ids += try sandbox.control.createTasks(draft)
    }
    let client = try SandboxClient.neo(sandbox)
    _ = try client.patchTask(ids[1], ["processor": "P1000001"])
    _ = try client.patchTask(ids[2], ["status": "COMPLETED"])
    _ = try client.patchTask(ids[3], ["description": "Rush, please"])
    return (sandbox, client, ids)
  }

  @Test(arguments: [
    ("", [0, 1, 2, 3, 4]), ("status=READY", [0, 3, 4]), ("status=ready&status=Reserved", [0, 1, 3, 4]),
    ("status=RESERVED,COMPLETED", [1, 2]), ("status=", [0, 1, 2, 3, 4]), ("processor=", [0, 1, 2, 3, 4]),
    ("processor=P1000001", [1]), ("processor=p1000001", []), ("priority=medium&status=READY", [0, 4]),
    ("recipientUsers=P1000001", [0, 1]), ("recipientUsers=P1000001&recipientUsers=P1000002", [0, 1, 2, 3, 4]),
    ("recipientGroups=g", [4]), ("subject=Order%201", [1]), ("subject=Order+1", [1]), ("subject=Order", []),
    ("description=Rush,%20please", []), ("containsText=rush,%20PLEASE", [3]), ("containsText=order%204", [4]),
    ("attributes.Country=DE", [3, 4]), ("attributes.Town=DE", []), ("activityId=usertask1", [0, 1, 2, 3, 4]),
    ("definitionId=usertask1%40ringi_purchase", [0, 1, 2, 3, 4]), ("definitionId=ringi_purchase", []),
    ("workflowDefinitionId=other", []), ("$filter=status%20eq%20'READY'", [0, 1, 2, 3, 4]),
    ("parentId=x&surprise", [0, 1, 2, 3, 4]), ("createdAt=2020-09-13T12:26:41.000Z", [1]),
    ("createdFrom=20200913122641.000&createdUpTo=2020-09-13T12:26:42.000Z", [1, 2]),
    ("createdFrom=2020-09-13T12:26:43.001Z", [4]),
    ("createdUpTo=2020-09-13T12:26:40.000Z&createdAt=2020-09-13T12:26:44.000Z", [0, 4]),
    ("completedFrom=2020-01-01T00:00:00.000Z", [2]), ("claimedFrom=2020-01-01T00:00:00.000Z", [1]),
    ("dueDateUpTo=2030-01-01T00:00:00.000Z", []), ("$orderby=priority%20asc", [1, 0, 4, 3, 2]),
    ("$orderby=priority%20desc", [2, 3, 0, 4, 1]), ("$orderby=subject%20desc&$top=2", [4, 3]),
    ("$orderby=processor%20asc", [0, 3, 4, 1, 2]), ("$orderby=processor%20desc", [2, 1, 0, 3, 4]),
  ])
  func filtersAndSortsAsDocumented(query: String, expected: [Int]) throws {
    let (_, client, ids) = try variety()
    #expect(try client.ids(Self.tasks + "?" + query) == expected.map { ids[$0] })
  }

  @Test func onlyAdministratorsMayList() throws {
    let sandbox = try startedSandbox(.neo)
    let client = try SandboxClient.neo(sandbox, SandboxClient.recipient)
    for path in [Self.tasks, Self.instances, "/v1/workflow-definitions", "/v1/task-definitions"] {
      #expect(try client.get(path).status == 403)
    }
  }

  @Test func instancesShowWhatIsOpenUnlessAStatusIsAskedFor() throws {
    let sandbox = try startedSandbox(.neo)
    let client = try SandboxClient.neo(sandbox)
    let running = try sandbox.control.startInstance(of: "ringi_purchase")
    sandbox.control.advanceClock(by: .seconds(1))
    let failed = try sandbox.control.startInstance(of: "ringi_purchase")
    try sandbox.control.failInstance(failed, message: "x")
    sandbox.control.advanceClock(by: .seconds(1))
    let suspended = try sandbox.control.startInstance(of: "ringi_purchase")
    _ = try client.write("PATCH", "\(Self.instances)/\(suspended)", ["status": "SUSPENDED"])
    sandbox.control.advanceClock(by: .seconds(1))
    let canceled = try sandbox.control.startInstance(of: "ringi_purchase")
    _ = try client.write("PATCH", "\(Self.instances)/\(canceled)", ["status": "CANCELED"])
    // Newest first.
    #expect(try client.ids(Self.instances) == [failed, running])
    #expect(try client.ids(Self.instances + "?status=") == [failed, running])
    #expect(try client.ids(Self.instances + "?id=\(suspended)") == [])
    #expect(try client.ids(Self.instances + "?status=suspended&status=CANCELED") == [canceled, suspended])
    #expect(try client.ids(Self.instances + "?$orderby=startedAt%20asc") == [running, failed])
  }

  @Test func definitionVersionsSortAsText() throws {
    let sandbox = try startedSandbox(.neo)
    for version in ["9", "10"] {
      sandbox.control.deploy(SAPDefinition(id: "v", name: "V", version: version, steps: [.message("m")]))
      try sandbox.control.startInstance(of: "v")
    }
    let list = try SandboxClient.neo(sandbox).get(Self.instances + "?$orderby=definitionVersion%20asc").json()
    #expect(list.array?.compactMap { $0["definitionVersion"]?.string } == ["10", "9"])
  }

  @Test func attributesComeWhenTheyAreExpanded() throws {
    let (_, client, ids) = try variety()
    let attributes: JSONValue = [["id": "Country", "label": "Country", "value": "JP", "type": "string"]]
    #expect(try client.get(Self.tasks).json()[0]?["attributes"] == nil)
    #expect(try client.get(Self.tasks + "?%24expand=attributes").json()[0]?["attributes"] == attributes)
    #expect(try client.get("\(Self.tasks)/\(ids[0])/attributes").json() == attributes)
  }

  @Test func absentValuesComeInTheStyleThatIsSet() throws {
    let sandbox = try startedSandbox(.neo)
    try sandbox.control.startInstance(of: "ringi_purchase")
    try sandbox.control.startInstance(of: "ringi_purchase")
    let client = try SandboxClient.neo(sandbox)
    func list(_ style: SAPSwitches.NullStyle) throws -> [JSONValue] {
      sandbox.control.changeSwitches { $0.nullStyle = style }
      return Array(try #require(try client.get(Self.tasks).json().array))
    }
    #expect(try list(.null).allSatisfy { $0["processor"] == .null && $0["recipientGroups"] == [] })
    #expect(try list(.omit).allSatisfy { $0["processor"] == nil && $0["recipientGroups"] == nil })
    let mixed = try list(.mixed)
    #expect(mixed[0]["processor"] == .null)
    #expect(mixed[0]["recipientGroups"] == [])
    #expect(mixed[1]["processor"] == nil)
    #expect(mixed[1]["recipientGroups"] == nil)
    #expect(mixed.allSatisfy { $0["x_future"] == [:] && $0["createdBy"] == nil })
  }

  @Test func timesHaveThreeDigitsOfFractionAndIDsTheLandscapesEnd() throws {
    for (environment, end) in [(SAPEnvironment.neo, "-00163e7a1c44"), (.cf, "-eeee0a80bb17")] {
      let sandbox = try startedSandbox(environment)
      try sandbox.control.createTasks(count: 2)
      let list = try SandboxClient.privileged(sandbox, environment).get(Self.tasks).json()
      #expect(list[0]?["createdAt"] == "2020-09-13T12:26:39.999Z")
      #expect(list[1]?["createdAt"] == "2020-09-13T12:26:40.000Z")
      let id = try #require(list[0]?["id"]?.string)
      #expect(id.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-1[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/) != nil)
      #expect(id.hasSuffix(end))
    }
  }
}
