internal import HTTPServer
internal import JSON

/// A refusal: `{"error": {"message", "detail"}, "status": "failure"}`.
struct ServiceNowError: Error {
  let status: Int
  let message: String
  let detail: String?

  init(_ status: Int, _ message: String, _ detail: String? = nil) {
    (self.status, self.message, self.detail) = (status, message, detail)
  }

  static let noRecord = ServiceNowError(
    404, "No Record found", "Record doesn't exist or ACL restricts the record retrieval")

  static func constraints(_ what: String) -> ServiceNowError {
    ServiceNowError(403, "Operation Failed", "ACL Exception \(what) Failed due to security constraints")
  }

  static func businessRule(_ name: String, on table: String) -> ServiceNowError {
    let stamped = "\(name)^\(RandomText.lowerHex(32))"
    return ServiceNowError(
      403, "Operation Failed",
      "Operation against file '\(table)' was aborted by Business Rule '\(stamped)'. Business Rule Stack:\(name)")
  }

  var json: JSONValue {
    [
      "error": ["message": .init(message), "detail": detail.map { .init($0) } ?? .null], "status": "failure",
    ]
  }
}
