import EventLoop
import RingiKit
import RingiTestSupport
import SQLite

@testable import RingiCore

/// An open store in a folder of a test's own.
@Loop
final class StoreFixture {
  nonisolated let folder: TemporaryFolder
  let clock = TestClock()
  let redactor = Redactor()
  let problems = Problems()
  private(set) var store: Store
  private(set) var bus: EventBus

  nonisolated var file: String { "\(folder.path)/ringi.db" }

  init() async throws {
    folder = try TemporaryFolder()
    store = Self.store(folder, clock, redactor, problems)
    bus = EventBus(store: store, clock: clock, host: "host.example", redactor: redactor)
    try await open()
  }

  private func open() async throws {
    store.onLoad = { [bus] in bus.log.restore($0.events) }
    try await store.open()
  }

  /// Records changes, or throws.
  func record(_ changes: Change...) async throws { try await bus.publish([], with: changes) }

  /// Closes the store and opens it again, as a restart does.
  func reopen() async throws {
    await store.close()
    store = Self.store(folder, clock, redactor, problems)
    bus = EventBus(store: store, clock: clock, host: "host.example", redactor: redactor)
    try await open()
  }

  private static func store(
    _ folder: TemporaryFolder, _ clock: TestClock, _ redactor: Redactor, _ problems: Problems
  ) -> Store {
    Store(
      directory: folder.path, clock: clock, log: Log(level: .error, clock: clock, redactor: redactor),
      problems: problems)
  }

  /// Does to the file what somebody with another program would.
  nonisolated func tamper(_ sql: String) throws {
    try Connection(path: file).execute(sql)
  }
}
