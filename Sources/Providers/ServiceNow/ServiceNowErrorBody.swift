internal import RingiKit

/// The body of a refusal: `{"error": {"message", "detail"}, "status": "failure"}`.
///
/// Its texts are shown and, but for the few that the vendor documents literally, never compared.
struct ServiceNowErrorBody {
  let message: String?
  let detail: String?

  init(_ json: JSONValue?) {
    message = json?["error"]?["message"]?.string
    detail = json?["error"]?["detail"]?.string
  }

  /// Looks at the declared type first: the body of a refusal is often a page of HTML.
  init(_ response: HTTPResponse) { self.init(try? response.json()) }

  /// The name of the business rule that stopped a write.
  var businessRule: String? {
    guard let detail, let start = detail.firstRange(of: "aborted by Business Rule '")?.upperBound else { return nil }
    let name = detail[start...].prefix { $0 != "^" && $0 != "'" }
    return name.isEmpty ? nil : String(name)
  }

  /// Whether a transaction took too long; a smaller page may do.
  var isCutShort: Bool { message?.hasPrefix("Transaction cancelled") == true }
}
