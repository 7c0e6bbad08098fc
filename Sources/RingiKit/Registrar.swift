internal import EventLoop
public import JSON
internal import JSONRPC

/// Collects what one instance offers; the instance's name comes before each method's.
public struct Registrar {
  public let instance: String
  package private(set) var methods: [Method] = []
  package private(set) var source: (any TaskSource)?
  package private(set) var watch: (any Watch)?
  package private(set) var login: (any BrowserLogin)?
  package private(set) var credentials: String?
  package private(set) var checkup: (any Checkup)?

  package init(instance: String) { self.instance = instance }

  /// Offers a method.
  ///
  /// - Parameters:
  ///   - name: Its name without the instance: `task.list`.
  ///   - summary: One sentence.
  ///   - params: The schema of its params, an object; checked before `handler` is called.
  ///   - result: The schema of its result.
  ///   - isMutation: Whether it may change something at the backend.
  ///   - handler: Takes the params, with defaults filled in; returns the result.
  public mutating func method(
    _ name: String, _ summary: String, params: Schema, result: Schema, isMutation: Bool = false,
    handler: @escaping @Loop @Sendable (JSONValue, Call) async throws -> JSONValue
  ) {
    methods.append(
      Method(
        "\(instance).\(name)", summary, params: params, result: result, isMutation: isMutation,
        handler: .async(handler)))
  }

  /// Offers a method whose params are a type of their own.
  ///
  /// - Parameters:
  ///   - name: Its name without the instance: `task.list`.
  ///   - summary: One sentence.
  ///   - params: The schema of its params, an object that `Params` can be decoded from.
  ///   - result: The schema of its result.
  ///   - isMutation: Whether it may change something at the backend.
  ///   - handler: Takes the decoded params; returns the result.
  public mutating func method<Params: Decodable & Sendable>(
    _ name: String, _ summary: String, params: Schema, result: Schema, isMutation: Bool = false,
    handler: @escaping @Loop @Sendable (Params, Call) async throws -> JSONValue
  ) {
    method(name, summary, params: params, result: result, isMutation: isMutation) { (value: JSONValue, call) in
      let decoded: Params
      do { decoded = try value.decode() } catch { throw RPCError.invalidParams("\(error)") }
      return try await handler(decoded, call)
    }
  }

  /// Makes the instance a task source.
  ///
  /// - Parameter source: Asked at each poll.
  public mutating func tasks(from source: some TaskSource) {
    precondition(watch == nil, "\(instance): an instance has tasks or a watch")
    self.source = source
  }

  /// Has an instance that is no task source polled all the same.
  ///
  /// - Parameter watch: Asked at each poll.
  public mutating func polls(_ watch: some Watch) {
    precondition(source == nil, "\(instance): an instance has tasks or a watch")
    self.watch = watch
  }

  /// Lets a person log in with a browser.
  ///
  /// - Parameter login: Asked when somebody does.
  public mutating func login(through login: some BrowserLogin) { self.login = login }

  /// Says what an instance takes in place of a login with a browser.
  ///
  /// - Parameter advice: What to do, such as "check user and password in its settings".
  public mutating func credentials(_ advice: String) { credentials = advice }

  /// Lets the backend be checked.
  ///
  /// - Parameter checkup: Asked when somebody wants to know.
  public mutating func checks(by checkup: some Checkup) { self.checkup = checkup }
}
