internal import RingiKit

/// What tells the wire of one list backend from another's.
@Loop
protocol TaskListWire {
  /// Adds the headers that let a request in.
  func authorize(_ request: inout HTTPRequest, with token: String)
  /// The error for an answer that is no success.
  func refusal(_ response: HTTPResponse, _ request: HTTPRequest) -> RPCError
  /// Looks at every answer that is a success.
  func note(_ response: HTTPResponse)
}

/// Requests and answers of a list backend; errors as a client of the agent sees them.
@Loop
final class TaskListAPI {
  let instance: String
  let clock: any LoopClock
  private let url: HTTPURL
  private let timeouts: HTTPRequest.Timeouts
  private let wire: any TaskListWire
  private let token: TaskListToken
  /// Sends again what may be sent again.
  private let client: any HTTPClient

  init(
    url: HTTPURL, connection: ConnectionSettings, token: TaskListToken, wire: any TaskListWire,
    context: ProviderContext, client base: any HTTPClient
  ) {
    instance = context.instance
    clock = context.clock
    self.url = url
    timeouts = connection.timeouts
    self.wire = wire
    self.token = token
    client = RetryingClient(RestingClient(base, clock: clock), clock: clock)
  }

  // MARK: Reading

  /// Reads a record or a list.
  ///
  /// - Parameters:
  ///   - path: Where it is.
  ///   - query: What to ask for.
  ///   - check: Looks at the answer before it is read.
  /// - Returns: The answer's JSON.
  /// - Throws: `RPCError`.
  func read(
    _ path: [String], _ query: [(String, String)] = [], check: (HTTPResponse) throws -> Void = { _ in }
  ) async throws -> JSONValue {
    let request = request(.get, path, query)
    let response: HTTPResponse
    switch try await send(request) {
    case .success(let answer): response = answer
    case .failure(let error): throw RPCError.noAnswer(error, instance, mayRepeat: true)
    }
    guard response.isSuccess else { throw wire.refusal(response, request) }
    wire.note(response)
    try check(response)
    return try json(response)
  }

  /// Reads one record; nil when the backend does not know it.
  func record(_ path: [String]) async throws -> JSONValue? {
    do {
      let json = try await read(path)
      guard json.object != nil else { throw malformed("a record is no object") }
      return json
    } catch let error as RPCError where error.kind == "not-found" {
      return nil
    }
  }

  private func json(_ response: HTTPResponse) throws -> JSONValue {
    do throws(HTTPBodyError) {
      return try response.json()
    } catch {
      if case .notJSON(_, "text/html") = error {
        throw RPCError.unavailable("\(instance): \(error); the service may be down, try again later.")
      }
      throw malformed("\(error)")
    }
  }

  // MARK: Writing

  /// Changes something: one request, never sent twice once it may have arrived.
  ///
  /// - Returns: The answer's JSON; null without a body.
  /// - Throws: `RPCError` when nothing happened; `UnclearOutcome` when nobody knows.
  func write(
    _ method: HTTPMethod, _ path: [String], _ body: JSONValue? = nil, query: [(String, String)] = [],
    headers: [(String, String)] = []
  ) async throws -> JSONValue {
    var request = request(method, path, query)
    for (name, value) in headers { request.headers[name] = value }
    if let body { request.setBody(json: body) }
    // A deletion that arrived would be answered with 404 the second time.
    request.isSentOnce = true
    let response: HTTPResponse
    switch try await send(request) {
    case .success(let answer): response = answer
    case .failure(let error): throw error.ofWrite(.noAnswer(error, instance, mayRepeat: false))
    }
    switch response.status {
    case 200...299:
      wire.note(response)
      if response.body.isEmpty { return .null }
      do {
        return try json(response)
      } catch let error as RPCError {
        throw UnclearOutcome(cause: error)
      }
    case 408, 425, 429, 500...:
      let error = wire.refusal(response, request)
      // Whoever is not let in has changed nothing.
      if error.kind == "login-required" { throw error }
      throw UnclearOutcome(cause: error)
    default: throw wire.refusal(response, request)
    }
  }

  /// The record that a write answers with.
  ///
  /// - Parameters:
  ///   - json: The answer's JSON.
  ///   - isMeant: Whether it is the record that was written.
  /// - Returns: The record.
  /// - Throws: `UnclearOutcome` for anything else: a success without the record says nothing that is certain.
  func record(ofWrite json: JSONValue, _ isMeant: (JSONValue) -> Bool) throws -> JSONValue {
    guard json.object != nil, isMeant(json) else {
      throw UnclearOutcome(cause: malformed("the answer to a write is not the record that was written"))
    }
    return json
  }

  /// The backend's answer does not look as it should.
  func malformed(_ what: String) -> RPCError {
    .backendError(
      provider: instance, message: "\(instance): the service's answer makes no sense, \(what); check the url setting.")
  }

  // MARK: Sending

  /// Sends with the token; after a 401 once more where another token has been put in its place meanwhile, since a
  /// request that was refused for its token was not carried out.
  private func send(_ request: HTTPRequest) async throws -> Result<HTTPResponse, HTTPError> {
    let used = try await token.value()
    let outcome = await outcome(of: request, used)
    guard case .success(let response) = outcome, response.status == 401 else { return outcome }
    token.drop(used)
    let renewed = try await token.value()
    return renewed == used ? outcome : await self.outcome(of: request, renewed)
  }

  private func outcome(of request: HTTPRequest, _ token: String) async -> Result<HTTPResponse, HTTPError> {
    var request = request
    wire.authorize(&request, with: token)
    do throws(HTTPError) {
      return .success(try await client.send(request))
    } catch {
      return .failure(error)
    }
  }

  private func request(_ method: HTTPMethod, _ path: [String], _ query: [(String, String)]) -> HTTPRequest {
    let url = path.reduce(url) { $0.appending($1) }.adding(query: query)
    return HTTPRequest(method, url, headers: ["Accept": "application/json"], timeouts: timeouts)
  }
}
