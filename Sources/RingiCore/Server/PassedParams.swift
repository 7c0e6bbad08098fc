internal import CLinux
internal import Glibc
internal import JSON
internal import JSONRPC

/// Params that go on to a plugin as they came.
enum PassedParams {
  private static let token: StaticString = "progressToken"
  /// The letter of it that texts have least of, and how many come before it.
  private static let rarest = (letter: CInt(UInt8(ascii: "T")), offset: 8)

  /// Takes the params of a method that takes any object.
  ///
  /// - Parameter bytes: The params, as a part of a message that was checked; empty without.
  /// - Returns: `nil` when they have to be looked into: they are no object, ask for progress, or have line breaks, which
  ///   would end the message for a plugin that is given lines.
  static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> JSONText? {
    guard let first = bytes.first else { return JSONText(.emptyObject) }
    guard first == UInt8(ascii: "{"), !LineBreaks.areIn(bytes), !hasToken(bytes) else { return nil }
    return JSONText(scanned: Array(bytes))
  }

  /// The members are looked at only where the bytes leave it open.
  private static func hasToken(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let start = bytes.baseAddress else { return false }
    // A name with escapes may be it, too.
    guard isIn(bytes) || memchr(start, CInt(UInt8(ascii: "\\")), bytes.count) != nil else { return false }
    var isMember = false
    let scanner = JSONScanner(JSONParsingOptions(maxDepth: JSONParsingOptions.depthLimit, largeIntegers: .asReal))
    // The message was scanned before, so this can't fail.
    _ = try? scanner.members(of: bytes) { if $0.isNamed(token, in: bytes) { isMember = true } }
    return isMember
  }

  /// Whether the bytes of the name are anywhere; a search for one letter is many times as fast as memmem(3).
  private static func isIn(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let start = bytes.baseAddress else { return false }
    var position = rarest.offset
    while position < bytes.count, let found = memchr(start + position, rarest.letter, bytes.count - position) {
      let name = UnsafeRawPointer(found) - rarest.offset
      let rest = UnsafeRawPointer(start + bytes.count) - name
      if rest >= token.utf8CodeUnitCount, memcmp(name, token.utf8Start, token.utf8CodeUnitCount) == 0 { return true }
      position = UnsafeRawPointer(found) - UnsafeRawPointer(start) + 1
    }
    return false
  }
}
