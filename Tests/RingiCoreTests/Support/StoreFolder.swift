import EventLoop
import Foundation
import RingiKit
import RingiTestSupport
import Testing

@testable import RingiCore

/// A store in a folder of its own, and what a next life of the agent finds there.
@Loop
final class StoreFolder {
  let clock: TestClock
  let folder: TemporaryFolder
  let problems = Problems()
  let store: Store
  /// What the store held when it was opened.
  private(set) var state: StoredState?

  convenience init(_ clock: TestClock = TestClock()) async throws {
    try await self.init(clock, TemporaryFolder())
  }

  private init(_ clock: TestClock, _ folder: TemporaryFolder) async throws {
    self.clock = clock
    self.folder = folder
    store = Store(
      directory: folder.path, clock: clock, log: Log(level: .error, clock: clock, redactor: Redactor()),
      problems: problems)
    store.onLoad = { [unowned self] in state = $0 }
    try await store.open()
  }

  /// The next life after an orderly end.
  func reopened() async throws -> StoreFolder {
    await store.close()
    return try await StoreFolder(clock, folder)
  }

  /// The next life after a kill -9 now: what is on the disk, as it lies there.
  func killed() async throws -> StoreFolder {
    // What was noted before is recorded then.
    _ = try await store.record([])
    let copy = try TemporaryFolder()
    for name in ["ringi.db", "ringi.db-wal"] {
      try FileManager.default.copyItem(atPath: "\(folder.path)/\(name)", toPath: "\(copy.path)/\(name)")
    }
    return try await StoreFolder(clock, copy)
  }

  /// Puts a file in the place of the store, so that nothing can be recorded.
  func breakDown() async throws {
    _ = try await store.record([])
    guard rename("\(folder.path)/ringi.db", "\(folder.path)/away") == 0 else { throw SystemError.last("rename") }
    try folder.write("ringi.db", "")
  }

  /// Undoes it.
  func mend() throws {
    guard rename("\(folder.path)/away", "\(folder.path)/ringi.db") == 0 else { throw SystemError.last("rename") }
  }
}
