internal import HTTPServer

/// A `multipart/form-data` body (RFC 7578), read without mercy.
enum MultipartForm {
  /// The fields of a body.
  ///
  /// - Returns: nil unless every boundary, line end, name and the end are as they should be.
  static func fields(_ body: [UInt8], contentType: String) -> [(String, String)]? {
    guard let marker = contentType.firstRange(of: "boundary=") else { return nil }
    let boundary = contentType[marker.upperBound...].prefix { $0 != ";" && $0 != " " }.filter { $0 != "\"" }
    guard !boundary.isEmpty, let text = String(validating: body, as: UTF8.self) else { return nil }
    var rest = text[...]
    var fields: [(String, String)] = []
    guard take("--\(boundary)", &rest) else { return nil }
    while !take("--\r\n", &rest) {
      guard take("\r\n", &rest), let head = take(until: "\r\n\r\n", &rest),
        let value = take(until: "\r\n--\(boundary)", &rest), let name = name(head)
      else { return nil }
      fields.append((name, String(value)))
    }
    return rest.isEmpty ? fields : nil
  }

  private static func name(_ head: Substring) -> String? {
    let prefix = "Content-Disposition: form-data; name=\""
    guard let line = head.split(separator: "\r\n").first(where: { $0.hasPrefix(prefix) }), line.hasSuffix("\"") else {
      return nil
    }
    let name = line.dropFirst(prefix.count).dropLast()
    return name.contains("\"") ? nil : String(name)
  }

  private static func take(_ text: String, _ rest: inout Substring) -> Bool {
    guard rest.hasPrefix(text) else { return false }
    rest = rest.dropFirst(text.count)
    return true
  }

  private static func take(until text: String, _ rest: inout Substring) -> Substring? {
    guard let range = rest.firstRange(of: text) else { return nil }
    defer { rest = rest[range.upperBound...] }
    return rest[..<range.lowerBound]
  }
}
