internal import Glibc

/// A system call that failed.
public struct SystemError: Error, Hashable, CustomStringConvertible {
  /// The `errno` value.
  public let code: CInt
  /// The call, and what it was about.
  public let call: String

  public init(_ code: CInt, _ call: String) {
    self.code = code
    self.call = call
  }

  /// The last error of this thread; read it right after the call.
  public static func last(_ call: String) -> SystemError { SystemError(errno, call) }

  public var description: String {
    // strerror_r, since strerror shares one buffer among threads.
    var buffer = [CChar](repeating: 0, count: 128)
    strerror_r(code, &buffer, buffer.count)
    return "\(call): \(String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))"
  }
}
