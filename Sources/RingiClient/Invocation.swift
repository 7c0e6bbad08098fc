internal import JSON
internal import Timing

/// One run of a command: its arguments, its surroundings, and the agent when it is needed.
final class Invocation {
  /// How long an answer may take; the agent itself gives up on a request earlier.
  private static let defaultTimeout = Duration.seconds(90)

  let arguments: ParsedArguments
  let surroundings: Surroundings
  private var connection: AgentConnection?

  init(_ arguments: ParsedArguments, in surroundings: Surroundings) {
    self.arguments = arguments
    self.surroundings = surroundings
  }

  var output: Output { surroundings.output }
  var wantsJSON: Bool { arguments.has("json") }

  /// Calls a method of the agent.
  ///
  /// - Throws: `Failure` when the agent is not there, does not answer in time, or answers with an error.
  func call(
    _ method: String, _ params: JSONValue = .emptyObject, progress: ((JSONValue) -> Void)? = nil
  ) throws(Failure) -> JSONValue {
    let deadline = Deadline(after: try duration("timeout") ?? Self.defaultTimeout)
    return try agent().call(method, params, deadline: deadline, progress: progress)
  }

  /// The connection to the agent, made when it is first asked for.
  func agent() throws(Failure) -> AgentConnection {
    if let connection { return connection }
    let path = try SocketPath.resolve(arguments.value("socket"), environment: surroundings.environment)
    let made = try AgentConnection(path: path)
    connection = made
    return made
  }

  /// Tells something beside the result, on standard error.
  func note(_ text: String) {
    surroundings.errors.line("ringi: ", hanging: Styled(text, .yellow))
  }
}

/// The values of options.
extension Invocation {
  /// A duration such as 30s.
  func duration(_ name: String) throws(Failure) -> Duration? {
    guard let text = arguments.value(name) else { return nil }
    do {
      return try DurationText.parse(text)
    } catch {
      throw .usage("--\(name): \(error).")
    }
  }

  /// A whole number that is not negative.
  func count(_ name: String) throws(Failure) -> JSONValue? {
    guard let text = arguments.value(name) else { return nil }
    guard let number = Int64(text), number >= 0 else {
      throw .usage("--\(name) takes a whole number that is not negative, not \(text).")
    }
    return JSONValue(number)
  }

  /// A text.
  func text(_ name: String) -> JSONValue? {
    arguments.value(name).map { JSONValue($0) }
  }

  /// A JSON value.
  func json(_ name: String) throws(Failure) -> JSONValue? {
    guard let text = arguments.value(name) else { return nil }
    return try ParameterText.json(text, of: "--\(name)")
  }

  /// A list of texts, given by repeating the option or with commas; nil when it is not given.
  func list(_ name: String) -> JSONValue? {
    let texts = arguments.all(name).flatMap { $0.split(separator: ",") }
    guard !texts.isEmpty else { return nil }
    return JSONValue(array: texts.map { JSONValue(String($0)) })
  }

  /// An object, given by repeating the option with KEY=VALUE; nil when it is not given.
  func object(_ name: String) throws(Failure) -> JSONValue? {
    let texts = arguments.all(name)
    guard !texts.isEmpty else { return nil }
    return try ParameterText.object(texts, of: "--\(name)")
  }
}
