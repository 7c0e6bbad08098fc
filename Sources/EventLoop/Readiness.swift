/// What a descriptor is ready for, or what somebody waits for; epoll's bits.
public struct Readiness: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let readable = Readiness(rawValue: 0x001)
  public static let writable = Readiness(rawValue: 0x004)
  /// An error; reported whether asked for or not.
  public static let error = Readiness(rawValue: 0x008)
  /// Both directions are closed; reported whether asked for or not.
  public static let hangUp = Readiness(rawValue: 0x010)
  /// The other end will send no more.
  public static let readHangUp = Readiness(rawValue: 0x2000)
}
