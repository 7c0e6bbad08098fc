import Foundation

/// A value that two threads of a test share.
final class Guarded<Value: Sendable>: @unchecked Sendable {
  // Only touched inside the lock.
  private var stored: Value
  private let lock = NSLock()

  init(_ value: Value) { stored = value }

  var value: Value { lock.withLock { stored } }

  func update(_ change: (inout Value) -> Void) {
    lock.withLock { change(&stored) }
  }
}
