/// One part of the body of a `multipart/form-data` request (RFC 7578 §4): a field and its value.
public struct MultipartPart: Sendable, Hashable {
  public var name: String
  /// The part's `Content-Type`; nil for plain text.
  public var contentType: String?
  public var content: [UInt8]

  public init(_ name: String, _ content: [UInt8], contentType: String? = nil) {
    self.name = name
    self.content = content
    self.contentType = contentType
  }

  /// A boundary that none of the parts contains.
  static func boundary(for parts: [MultipartPart]) -> String {
    while true {
      let digits = (0..<4).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }
      let boundary = "ringi-" + digits.joined()
      let isInside = parts.contains { $0.content.firstRange(of: Array(boundary.utf8)) != nil }
      if !isInside { return boundary }
    }
  }

  static func body(_ parts: [MultipartPart], boundary: String) -> [UInt8] {
    var body: [UInt8] = []
    for part in parts {
      body += Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(part.quotedName)\"\r\n".utf8)
      if let type = part.contentType { body += Array("Content-Type: \(type)\r\n".utf8) }
      body += Array("\r\n".utf8) + part.content + Array("\r\n".utf8)
    }
    return body + Array("--\(boundary)--\r\n".utf8)
  }

  /// Quotes and line ends would end the name; they are written as browsers write them.
  ///
  /// - SeeAlso: HTML, section 4.10.21.8, "multipart form data".
  private var quotedName: String {
    var quoted = ""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "\"": quoted += "%22"
      case "\r": quoted += "%0D"
      case "\n": quoted += "%0A"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted
  }
}
