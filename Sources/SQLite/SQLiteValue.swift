/// A value that a statement takes.
public enum SQLiteValue: Sendable, Equatable {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])
}

extension SQLiteValue: ExpressibleByNilLiteral, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  public init(nilLiteral: ()) { self = .null }
  public init(stringLiteral text: String) { self = .text(text) }
  public init(integerLiteral integer: Int64) { self = .integer(integer) }

  public init(_ text: String?) { self = text.map { .text($0) } ?? .null }
  public init(_ integer: Int64?) { self = integer.map { .integer($0) } ?? .null }
  public init(_ integer: Int) { self = .integer(Int64(integer)) }
  public init(_ flag: Bool) { self = .integer(flag ? 1 : 0) }
  public init(_ bytes: [UInt8]?) { self = bytes.map { .blob($0) } ?? .null }
}
