internal import CLinux
internal import Glibc
internal import JSON
internal import JSONRPC

/// Params that go on to a plugin as they came.
enum PassedParams {
  private static let token: StaticString = "progressToken"

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
    let isInBytes = memmem(start, bytes.count, token.utf8Start, token.utf8CodeUnitCount) != nil
    guard isInBytes || memchr(start, CInt(UInt8(ascii: "\\")), bytes.count) != nil else { return false }
    var isMember = false
    let scanner = JSONScanner(JSONParsingOptions(maxDepth: JSONParsingOptions.depthLimit, largeIntegers: .asReal))
    // The message was scanned before, so this can't fail.
    _ = try? scanner.members(of: bytes) { if $0.isNamed(token, in: bytes) { isMember = true } }
    return isMember
  }
}
