import JSON
import JSONRPC
import RingiCore
import RingiModel
import Testing
import Timing

@Suite struct TaskSelectorTests {
  private static func task(_ key: String, _ status: TaskItem.Status = .ready, created: Int64? = 0) -> TaskItem {
    TaskItem(
      id: TaskItem.ID(provider: "sap", key: key), title: "Order", status: status,
      createdAt: created.map { Timestamp(milliseconds: $0) })
  }

  private static let tasks = [
    task("4005b254", created: 1), task("4005c000", created: 3), task("77", .claimed, created: 0),
    task("78", .done, created: 9), task("7", created: 2),
  ]

  private func find(_ text: String, busy: [String] = []) throws(RPCError) -> String {
    let busy = Set(busy.map { TaskItem.ID(provider: "sap", key: $0) })
    return try TaskSelector.find(text, among: Self.tasks, busy: busy).id.key
  }

  @Test func newestAndOldestAreOfTheReadyOnes() throws {
    #expect(try find("newest") == "4005c000")
    #expect(try find("oldest") == "4005b254")
  }

  /// Else a word such as "newest" would decide whatever that backend holds.
  @Test func aTaskWithoutATimeIsNeitherNewestNorOldestWhileOthersHaveOne() throws {
    func task(_ key: String, _ time: Int64?) -> TaskItem {
      TaskItem(
        id: TaskItem.ID(provider: "curam", key: key), title: key, createdAt: time.map { .init(milliseconds: $0) })
    }
    let tasks = [task("z", nil), task("a", nil), task("m", 5), task("n", 7)]
    #expect(try TaskSelector.find("newest", among: tasks).id.key == "n")
    #expect(try TaskSelector.find("oldest", among: tasks).id.key == "m")
    #expect(try TaskSelector.find("newest", among: [tasks[0], tasks[1]]).id.key == "z")
  }

  @Test func aTaskThatIsBeingDecidedIsNeitherNewestNorOldest() throws {
    #expect(try find("newest", busy: ["4005c000"]) == "7")
    #expect(try find("oldest", busy: ["4005b254"]) == "7")
    let error = #expect(throws: RPCError.self) { try find("newest", busy: ["4005c000", "4005b254", "7"]) }
    #expect(error?.kind == "not-found")
    #expect(error?.message.contains("newest") == true)
  }

  @Test func twoOfOneMomentHaveAnOrder() throws {
    let tasks = [Self.task("b"), Self.task("a"), Self.task("c")]
    #expect(try TaskSelector.find("newest", among: tasks).id.key == "c")
    #expect(try TaskSelector.find("oldest", among: tasks.reversed()).id.key == "a")
  }

  @Test func anIDIsFoundWhateverItsStatusAndThoughOthersBeginWithIt() throws {
    #expect(try find("sap/7") == "7")
    #expect(try find("sap/78") == "78")
    #expect(try find("sap/77", busy: ["77"]) == "77")
  }

  @Test func aBeginningThatOnlyOneIDHasIsEnough() throws {
    #expect(try find("sap/4005b") == "4005b254")
    let only = [Self.task("1")]
    #expect(try TaskSelector.find("s", among: only).id.key == "1")
  }

  @Test func anAmbiguousBeginningListsItsCandidates() {
    let error = #expect(throws: RPCError.self) { try find("sap/4") }
    #expect(error?.code == -32602)
    #expect(error?.data["candidates"] == ["sap/4005b254", "sap/4005c000"])
    #expect(error?.message.contains("sap/4005b254, sap/4005c000") == true)
  }

  @Test func ofManyCandidatesTwentyAreListed() {
    let tasks = (100..<200).map { Self.task("\($0)") }
    let error = #expect(throws: RPCError.self) { try TaskSelector.find("sap/1", among: tasks) }
    #expect(error?.data["candidates"]?.array?.count == 20)
    #expect(error?.message.contains("100 task ids") == true)
  }

  @Test(arguments: ["", "sap/9", "Newest", "4005b254", "sap/4005B", "sap/4005b254 "])
  func whatNoIDBeginsWithIsNotFound(text: String) {
    let error = #expect(throws: RPCError.self) { try find(text) }
    #expect(error?.code == -32004)
    #expect(error?.data["task"]?.string == text)
  }
}
