public import EventLoop
public import JSON

/// One kind of backend as the agent sees it: settings in, methods and tasks out.
///
/// Declaring comes first and reaches nothing outside: `init` reads the settings, ``register(on:)`` says what there is to
/// offer. After that the agent only asks.
@Loop
public protocol Provider: AnyObject {
  /// The value of `provider` in a plugins.d file.
  nonisolated static var name: String { get }
  /// One sentence about the backend, for `--help` and documentation.
  nonisolated static var summary: String { get }
  /// What `settings` may hold; checked before `init` is called.
  nonisolated static var settings: Schema { get }

  /// Reads the settings; reaches no network and reads no secret.
  ///
  /// - Parameters:
  ///   - settings: An object that fits ``settings``.
  ///   - context: What the agent lends to an instance.
  /// - Throws: ``SettingsError`` for what a schema can't say.
  init(settings: JSONValue, context: ProviderContext) throws

  /// Says what the instance offers.
  ///
  /// - Parameter registrar: Collects methods, and a task source where the backend has tasks.
  func register(on registrar: inout Registrar)

  /// Lets go of what the backend should not wait for: a session, a connection. The instance is not asked again.
  func stop() async
}

extension Provider {
  public func stop() async {}
}

/// A setting that a schema accepts and the provider can't use.
public struct SettingsError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Where in `settings` it stands.
  public let pointer: JSONPointer
  /// What it got and what it takes.
  public let message: String

  public init(at pointer: JSONPointer, _ message: String) {
    self.pointer = pointer
    self.message = message
  }

  public var description: String { message }
}
