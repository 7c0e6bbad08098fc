internal import EventLoop
internal import JSON
internal import JSONRPC
internal import RingiKit
internal import Timing

extension AuditEntry {
  /// What came of a method's call.
  @Loop
  init(
    _ method: Method, _ params: JSONValue?, _ call: Call, _ result: Result<Method.Answer, any Error>,
    at time: Timestamp
  ) {
    switch result {
    case .success(let answer):
      self.init(method.name, by: call.actor, outcome: "done", at: time)
      details = .known([("params", params.map(Self.excerpt)), ("result", Self.excerpt(of: answer))])
    case .failure(let error):
      let error = rpcError(error)
      self.init(method.name, by: call.actor, outcome: error.outcome, at: time)
      details = .known([
        ("params", params.map(Self.excerpt)), ("kind", JSONValue(error.kind)), ("message", JSONValue(error.message)),
      ])
      backend = error.backend
    }
    idempotencyKey = call.idempotencyKey
  }

  private static func excerpt(of answer: Method.Answer) -> JSONValue {
    switch answer {
    case .value(let value): excerpt(value)
    case .text(let text):
      (text.utf8.count <= 1 << 16 ? JSONValue.parsed(text.utf8).map(excerpt) : nil) ?? [
        "bytes": JSONValue(text.utf8.count)
      ]
    }
  }
}

extension RPCError {
  /// The word for it in the audit log.
  var outcome: String {
    if kind == RPCError.conflict("").kind { return "conflict" }
    return mayHaveHappened ? "unknown" : "failed"
  }

  /// What a backend said, for the audit log; `nil` when none was asked, or none answered.
  var backend: JSONValue? {
    let known = ["provider", "status", "code", "message"].compactMap { name in details[name].map { (name, $0) } }
    return known.isEmpty ? nil : JSONValue(object: known)
  }
}
