internal import RingiKit

/// The place of a resource below `/v1`, with its query.
struct CuramPath: Hashable {
  static let schema = Schema.string("The resource below /v1, such as persons/101.", minLength: 1, maxLength: 1024)
  static let query = Schema.map("The query's parameters, as the resource takes them.", of: .string())

  let segments: [String]
  /// Sent in the order of the names.
  let query: [String: String]

  /// Checks a path as somebody wrote it, with or without a slash at its beginning.
  ///
  /// - Parameters:
  ///   - text: Names between slashes, not percent-encoded.
  ///   - query: An object of strings; nil for none.
  ///   - more: Further names.
  /// - Throws: `RPCError` (invalid-params).
  init(_ text: String, query: JSONValue? = nil, _ more: String...) throws(RPCError) {
    let names = (text.hasPrefix("/") ? text.dropFirst() : text[...]).split(
      separator: "/", omittingEmptySubsequences: false
    ).map(String.init)
    guard !names.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." || $0.contains("?") || $0.contains("#") })
    else {
      throw .invalidParams(
        "path: \(text.debugDescription); it takes names between slashes, such as persons/101, and no query.")
    }
    segments = names + more
    self.query = Dictionary(query?.object?.map { ($0.key, $0.value.string ?? "") } ?? []) { $1 }
  }

  /// `persons/101`, without the query.
  var text: String { segments.joined(separator: "/") }

  /// The query as JSON; nil when there is none.
  var queryJSON: JSONValue? {
    guard !query.isEmpty else { return Optional.none }
    return JSONValue(object: pairs.map { ($0.0, JSONValue($0.1)) })
  }

  func url(below base: HTTPURL) -> HTTPURL {
    segments.reduce(base.appending("v1")) { $0.appending($1) }.adding(query: pairs)
  }

  private var pairs: [(String, String)] { query.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
}
