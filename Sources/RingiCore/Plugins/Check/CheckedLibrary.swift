internal import EventLoop
internal import JSON
internal import NativeLibrary

/// A library that is checked.
@Loop
final class CheckedLibrary: CheckedPlugin {
  /// A library ends with this process alone.
  var ending: String? { nil }

  private let desk: Desk
  private let run: LibraryRun

  /// Answers what the library asks.
  @Loop
  private final class Desk: LibraryRun.Owner {
    private let answer: @Loop (String, JSONValue) throws -> JSONValue

    init(_ answer: @escaping @Loop (String, JSONValue) throws -> JSONValue) { self.answer = answer }

    func serve(_ method: String, _ params: JSONValue) async throws -> JSONValue { try answer(method, params) }

    /// What is wrong with a request is told where it is answered.
    func complain(_ sentence: String) {}
  }

  /// Starts the library's thread.
  ///
  /// - Parameters:
  ///   - instance: The plugin instance.
  ///   - clock: Measures how long it takes.
  ///   - limit: How long loading it and making an instance may take, each.
  ///   - redactor: Takes secrets out of its errors.
  ///   - serve: Answers what it asks.
  /// - Throws: `SystemError`.
  init(
    _ instance: String, clock: any LoopClock, limit: Duration, redactor: Redactor,
    serve: @escaping @Loop (String, JSONValue) throws -> JSONValue
  ) throws {
    desk = Desk(serve)
    run = try LibraryRun(instance, clock: clock, limit: limit, redactor: redactor, owner: desk)
  }

  func load(_ path: String) async throws -> NativeLibrary {
    try await run.load(path, preparing: CrashReport.addStack)
  }

  func create(_ library: NativeLibrary, _ settings: JSONValue) async throws { try await run.create(library, settings) }

  func call(_ method: String, _ params: JSONValue, within limit: Duration) async throws -> JSONValue {
    try await run.call(method, params, within: limit)
  }

  /// Ends the instance.
  ///
  /// - Returns: Whether it has ended within the limit.
  func end(within limit: Duration) async -> Bool { await run.end(within: limit) }
}
