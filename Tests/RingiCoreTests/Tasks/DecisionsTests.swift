import EventLoop
import JSON
import JSONRPC
import RingiKit
import RingiModel
import RingiTestSupport
import Testing
import Timing

@testable import RingiCore

/// A backend whose writes wait until the test lets them through.
@Loop
private final class SlowSource: TaskSource {
  private(set) var decisions = 0
  private(set) var reservations = 0
  private(set) var mostReservations = 0
  let arrived = Gate()
  let mayAnswer = Gate()
  let id = TaskItem.ID(provider: "slow", key: "1")
  private var item: TaskItem { TaskItem(id: id, title: "Approve") }

  func tasks() async throws -> TaskSnapshot { TaskSnapshot(tasks: [item], isComplete: true) }
  func task(_ id: TaskItem.ID) async throws -> TaskItem? { item }
  func context(of id: TaskItem.ID) async throws -> JSONValue? { nil }
  func preview(_ decision: Decision, on task: TaskItem) throws -> JSONValue { .null }

  func decide(_ decision: Decision, on task: TaskItem) async throws -> TaskItem {
    decisions += 1
    arrived.open()
    try await mayAnswer.wait()
    return task
  }

  func claim(_ task: TaskItem) async throws -> TaskItem {
    reservations += 1
    mostReservations = max(mostReservations, reservations)
    defer { reservations -= 1 }
    arrived.open()
    try await mayAnswer.wait()
    for _ in 0..<10 { await Task.yield() }
    return task
  }

  func release(_ task: TaskItem) async throws -> TaskItem { try await claim(task) }
}

@Suite(.timeLimit(.minutes(1)))
struct DecisionsTests {
  @Loop
  private static func made() async throws -> (Decisions, SlowSource) {
    let clock = TestClock()
    let log = Log(level: .error, clock: clock, redactor: Redactor())
    let inbox = Inbox(bus: EventBus(log: EventLog(), clock: clock, host: "test"), clock: clock, log: log)
    let source = SlowSource()
    inbox.add(source, instance: "slow", startsWithBaseline: false)
    try await inbox.poll("slow")
    return (Decisions(inbox: inbox), source)
  }

  @Test func aSecondDecisionWaitsForTheFirstAndIsNotSent() async throws {
    try await onLoop {
      let (decisions, source) = try await Self.made()
      let request = Decisions.Request(task: "slow/1", decision: Decision(.approve))
      let tasks = (0..<3).map { _ in Loop.task { try await decisions.decide(request) } }
      try await source.arrived.wait()
      source.mayAnswer.open()
      let answers = try await [tasks[0].value, tasks[1].value, tasks[2].value]
      #expect(answers.map { $0["already"]?.bool == true } == [false, true, true])
      #expect(source.decisions == 1)
    }
  }

  @Test func reservationsOfOneTaskComeOneAfterTheOther() async throws {
    try await onLoop {
      let (decisions, source) = try await Self.made()
      let tasks = (0..<3).map { _ in
        Loop.task { try await decisions.reserve(.claim, "slow/1", causes: []) }
      }
      try await source.arrived.wait()
      source.mayAnswer.open()
      for task in tasks { _ = try await task.value }
      #expect(source.mostReservations == 1)
    }
  }
}
