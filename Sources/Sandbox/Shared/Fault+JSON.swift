internal import JSON
internal import Timing

extension Fault {
  private static let shared = ["route", "kind", "skip", "count"]

  /// Reads a fault as control calls describe it, see docs/sandbox.md.
  init(_ object: JSONValue) throws(ControlError) {
    let kind = try ControlBody(object, taking: object.object?.keys ?? []).string("kind") ?? ""
    guard let takes = Self.members[kind] else {
      throw .invalid("kind takes one of \(Self.members.keys.sorted().joined(separator: ", ")).")
    }
    let body = try ControlBody(object, taking: Self.shared + takes)
    let route = try body.need("route", try body.string("route"))
    // Without a count it hits once; null is without end.
    let isEndless = object["count"]?.isNull == true
    let count = isEndless ? nil : try body.int("count") ?? 1
    guard let fault = Fault(try Self.kind(kind, body), on: route, skip: try body.int("skip") ?? 0, count: count) else {
      throw .invalid("route takes a method or *, a space and a path, such as \"PATCH /v1/task-instances/*\".")
    }
    self = fault
  }

  /// The kind as control calls name it.
  var kindName: String {
    switch kind {
    case .status: "status"
    case .loginPage: "login-page"
    case .delay: "delay"
    case .slowBody: "slow-body"
    case .truncatedBody: "truncated-body"
    case .malformedJSON: "malformed-json"
    case .reset: "reset"
    case .hang: "hang"
    case .appliedLater: "applied-later"
    }
  }

  /// The fault as control calls show it.
  var json: JSONValue {
    [
      "route": .init(route), "kind": .init(kindName), "skip": .init(skip),
      "count": count.map { .init($0) } ?? .null,
    ]
  }

  /// What each kind takes beside the members that all take.
  private static let members: [String: [String]] = [
    "status": ["status", "retryAfter", "retryAfterDate", "applied"], "login-page": [], "delay": ["by"],
    "slow-body": ["bytesPerSecond"], "truncated-body": ["after", "reset"], "malformed-json": [], "reset": ["applied"],
    "hang": ["applied"], "applied-later": ["latency"],
  ]

  private static func kind(_ kind: String, _ body: ControlBody) throws(ControlError) -> Kind {
    switch kind {
    case "status":
      let text = try body.string("retryAfter").map { RetryAfter.text($0) }
      let date = try body.duration("retryAfterDate").map { RetryAfter.date($0) }
      let status = try body.need("status", try body.int("status"))
      guard (200...599).contains(status) else { throw .invalid("status takes a number from 200 to 599.") }
      return .status(status, retryAfter: text ?? date, applied: try body.bool("applied") ?? false)
    case "login-page": return .loginPage
    case "delay": return .delay(try body.need("by", try body.duration("by")))
    case "slow-body":
      return .slowBody(bytesPerSecond: try body.need("bytesPerSecond", try body.int("bytesPerSecond")))
    case "truncated-body":
      return .truncatedBody(after: try body.int("after"), reset: try body.bool("reset") ?? false)
    case "malformed-json": return .malformedJSON
    case "reset": return .reset(applied: try body.bool("applied") ?? false)
    case "hang": return .hang(applied: try body.bool("applied") ?? false)
    default: return .appliedLater(try body.latency("latency") ?? .nextTick)
    }
  }
}
