internal import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
internal import SQLite

/// What keeps the store from recording anything.
package struct StoreTrouble: Error, Equatable, Sendable {
  package enum Kind: String, Sendable {
    case full, readOnly = "read-only", damaged, unreachable, missing, replaced, busy
  }

  package let kind: Kind
  package let directory: String
  /// What the system said.
  package let cause: String

  /// What happened and what to do, for a person.
  package var sentence: String { "\(fault) \(advice)" }

  /// What happened, in a sentence.
  var fault: String {
    switch kind {
    case .full: "The disk that holds \(directory) is full."
    case .readOnly: "The state directory \(directory) can only be read (\(cause))."
    case .damaged: "The store in \(directory) is damaged (\(cause))."
    case .missing: "The store is gone from \(directory) (\(cause))."
    case .replaced: "Another file stands in the place of the store in \(directory)."
    case .busy: "Another program has locked the store in \(directory)."
    case .unreachable: "The store in \(directory) can't be used: \(cause)."
    }
  }

  /// What to do, in a sentence.
  var advice: String {
    switch kind {
    case .full: "Free some space."
    case .readOnly: "Make it writable."
    case .damaged:
      "Restart the agent: it sets the file aside and begins a new one; or bring a backup back with `ringi restore`."
    case .missing: "Bring the directory back."
    case .replaced: "Restart the agent to use it."
    case .busy: "End it."
    case .unreachable: "See to the disk and the directory's mode."
    }
  }

  /// For `agent.status`.
  var problem: String {
    "\(sentence) \(Self.consequence)"
  }

  static let consequence =
    "Until then nothing new is decided, and no event is published; polls and lists go on."

  /// For a call that was refused because it could not be recorded.
  var refusal: RPCError {
    .unavailable(
      "Nothing was done, since it could not be recorded. \(sentence) Then try again.",
      // These are over with the next start alone.
      isRetryable: ![.damaged, .replaced].contains(kind),
      details: ["reason": .init(stringLiteral: "store-\(kind.rawValue)")])
  }

  init(_ kind: Kind, directory: String, cause: String) {
    self.kind = kind
    self.directory = directory
    self.cause = cause
  }

  init(_ error: any Error, directory: String) {
    self.init(Self.kind(of: error), directory: directory, cause: "\(error)")
  }

  private static func kind(of error: any Error) -> Kind {
    switch error {
    case let error as SQLiteError:
      switch error.kind {
      case .full: .full
      case .readOnly: .readOnly
      case .damaged: .damaged
      case .busy: .busy
      case .unreachable, .statement: .unreachable
      }
    case let error as SystemError: kind(of: error.code)
    default: .unreachable
    }
  }

  private static func kind(of code: CInt) -> Kind {
    switch code {
    case ENOSPC, EDQUOT: .full
    case EROFS, EACCES, EPERM: .readOnly
    case ENOENT, ENOTDIR: .missing
    default: .unreachable
    }
  }
}
