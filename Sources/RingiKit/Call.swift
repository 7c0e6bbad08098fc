public import EventLoop
public import JSON

/// What a handler may know of the request it answers.
public struct Call: Sendable {
  /// Where the request came from.
  public enum Origin: Sendable {
    /// A client of a listener.
    case client(any CallClient)
    /// The agent's owner, by a job, a phrase, a hook or a plugin. The events that led to it, oldest first.
    case owner(_ actor: Actor = Actor(), causes: [String])
  }

  public let origin: Origin
  /// The `progressToken` of the params, where the client wants progress.
  package var progressToken: JSONValue?
  /// Takes what the work tells of its progress, where no client made the call.
  package var onProgress: (@Loop @Sendable (_ token: JSONValue, _ value: JSONValue) -> Void)?
  /// The `idempotencyKey` of the params.
  package var idempotencyKey: String?
  /// The task that an earlier call with that key was about, whatever its params select now.
  package var boundTask: String?

  package init(origin: Origin) { self.origin = origin }

  /// The ids of the events that led to this call, oldest first.
  public var causes: [String] {
    if case .owner(_, let causes) = origin { causes } else { [] }
  }

  /// The listener whose client this is, the plugin, or `owner`: the space of idempotency keys.
  @Loop
  package var listener: String {
    switch origin {
    case .client(let client): client.listener
    case .owner(let actor, _): actor.plugin.map { "plugin:\($0)" } ?? "owner"
    }
  }

  /// Who makes the call, for the audit log.
  @Loop
  public var actor: Actor {
    switch origin {
    case .client(let client): Actor(client: client.identity)
    case .owner(let actor, _): actor
    }
  }

  /// Tells the client how far the work has come; without effect when it didn't ask.
  ///
  /// - Parameter value: Anything the method's documentation states.
  @Loop
  public func progress(_ value: JSONValue) {
    guard let progressToken else { return }
    if case .client(let client) = origin {
      client.progress(progressToken, value)
    } else {
      onProgress?(progressToken, value)
    }
  }
}

/// The client behind a request.
@Loop
public protocol CallClient: AnyObject, Sendable {
  /// The listener it came in by.
  var listener: String { get }
  /// What is known of it.
  var identity: Actor.Client { get }
  func progress(_ token: JSONValue, _ value: JSONValue)
}
