import JSON
import RingiTestSupport
import Sandbox
import Testing
import Timing

@Suite struct ServiceNowTableTests {
  private func made(_ sandbox: ServiceNowSandbox, _ table: String, _ fields: [String: String]) throws -> String {
    try sandbox.with { state throws(ControlError) in try state.makeRecord(table, fields) }
  }

  private func numbers(_ answer: RawAnswer) -> [String] {
    answer.result?.array?.compactMap { $0["short_description"]?.string } ?? []
  }

  // MARK: Reading

  @Test func allValuesAreTextsAndAnEmptyReferenceIsOneToo() throws {
    let sandbox = try startedServiceNow()
    let hanako = sandbox.with { $0.users["hanako"]?.sysID ?? "" }
    let id = try made(sandbox, "incident", ["opened_by": hanako, "priority": "1"])
    let record = try #require(try ServiceNowRequests(sandbox).get("incident/\(id)").result)
    #expect(record["priority"] == "1" && record["sys_mod_count"] == "0" && record["assigned_to"] == "")
    #expect(
      record["opened_by"]
        == ["link": .init("https://acme.example/api/now/table/sys_user/\(hanako)"), "value": .init(hanako)])
  }

  @Test func theBaseTableShowsRecordsOfOthersWithItsOwnFields() throws {
    let sandbox = try startedServiceNow()
    let id = try made(sandbox, "change_request", ["justification": "why", "short_description": "what"])
    let requests = ServiceNowRequests(sandbox)
    let base = try requests.get("task/\(id)").result
    #expect(base?["short_description"] == "what" && base?["justification"] == nil)
    #expect(base?["sys_class_name"] == "change_request")
    #expect(try requests.get("change_request/\(id)").result?["justification"] == "why")
  }

  @Test func refusalsHaveTheServicesWords() throws {
    let sandbox = try startedServiceNow()
    let requests = ServiceNowRequests(sandbox)
    let table = try requests.get("nothing")
    #expect(table.status == 400 && table.message == "Invalid table nothing" && table.detail == nil)
    let record = try requests.get("task/nothing")
    #expect(record.status == 404 && record.message == "No Record found")
    #expect(record.detail == "Record doesn't exist or ACL restricts the record retrieval")
    #expect(try requests.send("GET", "/api/now/nothing").status == 400)
    #expect(try requests.send("DELETE", "/api/now/table/task").status == 405)
    #expect(try requests.get("incident").result == [])
    #expect(try requests.send("GET", "/api/now/v1/table/incident").status == 404)
    #expect(try requests.send("GET", "/api/now/v2/table/incident").status == 200)
  }

  @Test(arguments: [
    ("priority=1", ["a"]), ("priority!=1^ORDERBYshort_description", ["b", "c"]), ("priority>1^priority<3", ["b"]),
    ("priorityIN1,3^ORDERBYDESCshort_description", ["c", "a"]),
    ("priority=1^ORpriority=2^ORDERBYpriority", ["a", "b"]),
    ("priority=1^NQpriority=3^ORDERBYpriority", ["a", "c"]), ("short_descriptionSTARTSWITHa", ["a"]),
    ("opened_by.user_name=hanako", ["a"]), ("opened_byISEMPTY^ORDERBYpriority", ["b", "c"]),
    ("opened_by=javascript:gs.getUserID()", ["a"]),
    // What makes no sense is left out, so that there is more.
    ("priorty=1^priority=2", ["b"]), ("priorty=1^ORDERBYpriority", ["a", "b", "c"]),
  ])
  func queriesSelectAndOrder(_ query: String, _ expected: [String]) throws {
    let sandbox = try startedServiceNow()
    let hanako = sandbox.with { $0.users["hanako"]?.sysID ?? "" }
    _ = try made(sandbox, "incident", ["short_description": "a", "priority": "1", "opened_by": hanako])
    _ = try made(sandbox, "incident", ["short_description": "b", "priority": "2"])
    _ = try made(sandbox, "incident", ["short_description": "c", "priority": "3"])
    let encoded = query.replacing("^", with: "%5E").replacing(">", with: "%3E").replacing("<", with: "%3C")
    #expect(numbers(try ServiceNowRequests(sandbox).get("incident?sysparm_query=\(encoded)")) == expected)
  }

  @Test func aQueryThatMakesNoSenseMayAlsoGiveNothing() throws {
    let sandbox = try startedServiceNow { $0.switches.invalidQueryReturnsNoRows = true }
    _ = try made(sandbox, "incident", [:])
    #expect(try ServiceNowRequests(sandbox).get("incident?sysparm_query=priorty=1").result == [])
  }

  @Test func withoutAnOrderThereIsNone() throws {
    let sandbox = try startedServiceNow()
    for number in 0..<30 { _ = try made(sandbox, "incident", ["short_description": "\(number)"]) }
    let requests = ServiceNowRequests(sandbox)
    let orders = try (0..<5).map { _ in numbers(try requests.get("incident")) }
    #expect(Set(orders).count > 1)
  }

  @Test func pagesAreLinkedUnderTheInstancesOwnName() throws {
    let sandbox = try startedServiceNow()
    for number in 0..<5 { _ = try made(sandbox, "incident", ["short_description": "\(number)"]) }
    let requests = ServiceNowRequests(sandbox)
    let middle = try requests.get("incident?sysparm_limit=2&sysparm_offset=2")
    #expect(middle["X-Total-Count"] == "5")
    let links = try #require(middle["Link"]).split(separator: ",")
    #expect(links.count == 4 && links.allSatisfy { $0.hasPrefix("<https://acme.example/api/now/table/incident?") })
    #expect(
      links.map { String($0.split(separator: ";")[1]) } == ["first", "prev", "next", "last"].map { "rel=\"\($0)\"" })
    #expect(links[2].contains("sysparm_offset=4>") && links[3].contains("sysparm_offset=4>"))
    #expect(try requests.get("incident?sysparm_limit=2&sysparm_offset=4")["Link"]?.contains("next") == false)
    #expect(try requests.get("incident")["Link"] == nil)
    let bare = try requests.get(
      "incident?sysparm_limit=2&sysparm_no_count=true&sysparm_suppress_pagination_header=true")
    #expect(bare["Link"] == nil && bare["X-Total-Count"] == nil)
  }

  @Test func theLimitCutsBeforeWhatMayNotBeSeenIsTakenOut() throws {
    let sandbox = try startedServiceNow()
    let ids = try (0..<4).map { _ in try made(sandbox, "incident", [:]) }
    sandbox.with { $0.hidden = Set(ids) }
    let page = try ServiceNowRequests(sandbox).get("incident?sysparm_limit=2&sysparm_query=ORDERBYsys_id")
    #expect(page.result == [] && page["X-Total-Count"] == "4" && page["Link"]?.contains("rel=\"next\"") == true)
  }

  @Test func aListThatTakesTooLongBreaksOff() throws {
    let sandbox = try startedServiceNow { $0.switches.rowsPerTransaction = 3 }
    for _ in 0..<4 { _ = try made(sandbox, "incident", [:]) }
    let answer = try ServiceNowRequests(sandbox).get("incident")
    #expect(answer.status == 200 && answer.result?.array?.count == 2)
    #expect(answer.message == "Transaction cancelled: maximum execution time exceeded")
  }

  // MARK: Writing

  @Test func aNewRecordIsAnsweredWithItsAddress() throws {
    let sandbox = try startedServiceNow()
    let answer = try ServiceNowRequests(sandbox).write(
      "POST", "incident", ["priority": "1", "odd": "x", "sys_id": "y"])
    let id = try #require(answer.result?["sys_id"]?.string)
    #expect(answer.status == 201 && answer["Location"] == "https://acme.example/api/now/table/incident/\(id)")
    #expect(id != "y" && answer.result?["odd"] == nil)
  }

  @Test func aChangeCountsWhenSomethingChanges() throws {
    let sandbox = try startedServiceNow()
    let id = try made(sandbox, "incident", ["priority": "1"])
    let requests = ServiceNowRequests(sandbox)
    #expect(try requests.write("PATCH", "incident/\(id)", ["priority": "1"]).result?["sys_mod_count"] == "0")
    let changed = try requests.write("PUT", "incident/\(id)?sysparm_fields=priority,sys_mod_count", ["priority": "2"])
    #expect(changed.result == ["priority": "2", "sys_mod_count": "1"])
  }

  @Test func aJournalTakesTextsAndReadsAsEmpty() throws {
    let sandbox = try startedServiceNow()
    let id = try made(sandbox, "incident", [:])
    let answer = try ServiceNowRequests(sandbox).write("PATCH", "incident/\(id)", ["work_notes": "seen"])
    #expect(answer.result?["work_notes"] == "" && sandbox.with { $0.journal(of: id) } == ["seen"])
  }

  @Test func aDeletionHasNoBodyAndNoType() throws {
    let sandbox = try startedServiceNow()
    let id = try made(sandbox, "incident", [:])
    let answer = try ServiceNowRequests(sandbox).send("DELETE", "/api/now/table/incident/\(id)")
    #expect(answer.status == 204 && answer.body.isEmpty && answer["Content-Type"] == nil)
  }

  @Test func aWriteNeedsItsHeadersAndSoundJSON() throws {
    let sandbox = try startedServiceNow()
    var requests = ServiceNowRequests(sandbox)
    #expect(try requests.send("POST", "/api/now/table/incident", body: "{}").status == 415)
    sandbox.with { $0.switches.missingContentType = 400 }
    #expect(try requests.send("POST", "/api/now/table/incident", body: "{}").status == 400)
    let json = [("Content-Type", "application/json")]
    let odd = try requests.send("POST", "/api/now/table/incident", headers: json, body: "{'a': 1}")
    #expect(odd.status == 400 && odd.message == "Exception while reading request")
    let large = "{\"a\":\"" + String(repeating: "x", count: 10_485_760) + "\"}"
    let refused = try requests.send("POST", "/api/now/table/incident", headers: json, body: large)
    #expect(refused.detail?.hasPrefix("Rejected large REST payload with content-length") == true)
    requests.headers.removeAll { $0.0 == "Accept" }
    #expect(try requests.send("POST", "/api/now/table/incident", headers: json, body: "{}").status == 400)
    #expect(try requests.send("GET", "/api/now/table/incident", headers: [("Accept", "text/html")]).status == 406)
  }
}
