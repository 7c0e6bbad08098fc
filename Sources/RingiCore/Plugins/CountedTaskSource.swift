internal import EventLoop
internal import JSON
internal import RingiKit
internal import RingiModel

/// A plugin's task source with its calls counted.
@Loop
final class CountedTaskSource: TaskSource {
  let source: any TaskSource
  private let figures: CallFigures

  init(_ source: any TaskSource, _ figures: CallFigures) { (self.source, self.figures) = (source, figures) }

  func tasks() async throws -> TaskSnapshot { try await figures.count { try await source.tasks() } }

  func task(_ id: TaskItem.ID) async throws -> TaskItem? { try await figures.count { try await source.task(id) } }

  func context(of id: TaskItem.ID) async throws -> JSONValue? {
    try await figures.count { try await source.context(of: id) }
  }

  func preview(_ decision: Decision, on task: TaskItem) throws -> JSONValue {
    try source.preview(decision, on: task)
  }

  func decide(_ decision: Decision, on task: TaskItem) async throws -> TaskItem {
    try await figures.count { try await source.decide(decision, on: task) }
  }

  func claim(_ task: TaskItem) async throws -> TaskItem { try await figures.count { try await source.claim(task) } }

  func release(_ task: TaskItem) async throws -> TaskItem {
    try await figures.count { try await source.release(task) }
  }
}
