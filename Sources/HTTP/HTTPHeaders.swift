/// Header fields in the order they were sent or received; names are compared without regard to case.
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
  private var fields: [(name: String, value: String)] = []

  public init() {}

  public init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { (name: $0.0, value: $0.1) }
  }

  /// The first value of `name`; setting replaces every field of that name, and nil removes them.
  public subscript(name: String) -> String? {
    get { fields.first { Self.areEqual($0.name, name) }?.value }
    set {
      fields.removeAll { Self.areEqual($0.name, name) }
      if let newValue { fields.append((name: name, value: newValue)) }
    }
  }

  /// Every value of `name`, in order; `Set-Cookie` cannot be read in any other way (RFC 9110 §5.3).
  public func values(_ name: String) -> [String] {
    fields.filter { Self.areEqual($0.name, name) }.map(\.value)
  }

  /// Adds a field and keeps those of the same name.
  public mutating func add(_ name: String, _ value: String) {
    fields.append((name: name, value: value))
  }

  /// The value of an `Authorization` header for a user and a password, in UTF-8 (RFC 7617 §2).
  ///
  /// - Parameters:
  ///   - user: The name, without a colon, at which the server would part it.
  ///   - password: The password.
  /// - Returns: `Basic`, and Base64 of `user:password`.
  public static func basic(user: String, password: String) -> String {
    "Basic " + Base64.encode("\(user):\(password)".utf8)
  }

  /// Keeps only the fields whose lower-case name satisfies `isKept`.
  mutating func keep(where isKept: (String) -> Bool) {
    fields.removeAll { !isKept($0.name.lowercased()) }
  }

  /// The name of the first field that would break the request apart, or nil when all are well formed.
  var firstMalformedName: String? {
    fields.first { !Self.isName($0.name) || !Self.isValue($0.value) }?.name
  }

  /// Whether a text holds nothing that would end a field: CR, LF or NUL (RFC 9110 §5.5).
  package static func isValue(_ text: String) -> Bool { !text.utf8.contains { $0 == 13 || $0 == 10 || $0 == 0 } }

  /// Whether a text is a token, as a field's name must be (RFC 9110 §5.1).
  package static func isName(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }

  private static func areEqual(_ a: String, _ b: String) -> Bool {
    a.utf8.count == b.utf8.count && a.utf8.elementsEqual(b.utf8) { asciiLowercase($0) == asciiLowercase($1) }
  }
}

extension HTTPHeaders: Sequence {
  public func makeIterator() -> some IteratorProtocol<(name: String, value: String)> {
    fields.makeIterator()
  }
}

private func asciiLowercase(_ byte: UInt8) -> UInt8 {
  byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
}
