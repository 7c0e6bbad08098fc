internal import RingiKit

/// Requests and answers exactly as on the wire; errors as a client of the agent sees them.
@Loop
final class SAPAPI {
  let instance: String
  let clock: any LoopClock
  let failure: SAPFailure
  private let settings: SAPSettings
  private let client: any HTTPClient
  private let tokens: TokenSource?

  /// The waits before a request that was refused for other work on the same workflow is sent again.
  private static let busyPauses: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2)]

  init(_ settings: SAPSettings, context: ProviderContext) {
    instance = context.instance
    clock = context.clock
    failure = SAPFailure(instance: context.instance, clock: context.clock)
    self.settings = settings
    let login = SAPLogin(settings, context: context)
    client = RetryingClient(login.client, clock: context.clock)
    tokens = login.tokens
  }

  /// Waits for a login under way, whose refresh token has to be kept.
  func settle() async { await tokens?.settle(within: .seconds(5)) }

  // MARK: Reading

  /// Reads a record, or a list's page.
  ///
  /// - Throws: `RPCError`.
  func read(_ path: [String], _ query: [(String, String)] = []) async throws -> HTTPResponse {
    let request = request(.get, path, query)
    let response: HTTPResponse
    do throws(HTTPError) {
      response = try await client.send(request)
    } catch {
      throw failure.error(error, mayRepeat: true)
    }
    guard response.isSuccess else { throw refusal(response, request) }
    return response
  }

  /// The JSON of an answer; a page in its place is what a proxy sends when a login has ended.
  func json(_ response: HTTPResponse) throws -> JSONValue {
    try json(response) { text, options throws(JSONSyntaxError) in try JSONValue(parsing: text, options: options) }
  }

  /// The JSON that tells what a write has made; the service has taken it, whatever its answer looks like.
  ///
  /// - Throws: `UnclearOutcome`.
  func json(ofWrite response: HTTPResponse) throws -> JSONValue {
    do {
      return try json(response)
    } catch let error as RPCError {
      throw UnclearOutcome(cause: error)
    }
  }

  /// The rows of a list's page.
  func rows(_ response: HTTPResponse) throws -> [SAPRow] {
    switch try json(response, SAPRow.rows) {
    case .success(let rows): return rows
    case .failure(let fault): throw failure.malformed(fault.what)
    }
  }

  private func json<Value>(
    _ response: HTTPResponse, _ read: ([UInt8], JSONParsingOptions) throws(JSONSyntaxError) -> Value
  ) throws -> Value {
    do throws(HTTPBodyError) {
      return try response.json(read)
    } catch {
      switch error {
      case .notJSON(_, "text/html"): throw failure.error(response, request(.get, []))
      case .notJSON, .malformed, .undecodable: throw failure.malformed("\(error)")
      }
    }
  }

  /// Reads one record; nil when the service does not know it.
  ///
  /// - Throws: `RPCError`.
  func record(_ path: [String], _ query: [(String, String)] = []) async throws -> JSONValue? {
    do {
      let json = try json(try await read(path, query))
      guard json.object != nil else { throw failure.malformed("a record is no object") }
      return json
    } catch let error as RPCError where error.kind == "not-found" {
      return nil
    }
  }

  // MARK: Writing

  /// Changes something: one request, sent again only when the service says that it did nothing.
  ///
  /// - Returns: The answer, of a status of 2xx.
  /// - Throws: `RPCError` when nothing happened; `UnclearOutcome` when nobody knows.
  @discardableResult
  func write(_ method: HTTPMethod, _ path: [String], _ body: JSONValue) async throws -> HTTPResponse {
    var request = request(method, path)
    request.setBody(json: body)
    var pauses = Self.busyPauses[...]
    while true {
      let response = try await send(request)
      switch response.status {
      case 200 where response.contentType?.essence == "text/html": throw refusal(response, request)
      case 200...299: return response
      case 409:
        guard let pause = pauses.popFirst() else { throw failure.error(response, request) }
        try await clock.sleep(for: pause)
      case 408, 425, 429, 500...: throw UnclearOutcome(cause: failure.error(response, request))
      default: throw refusal(response, request)
      }
    }
  }

  private func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    do throws(HTTPError) {
      return try await client.send(request)
    } catch {
      throw error.ofWrite(failure.error(error, mayRepeat: false))
    }
  }

  // MARK: Common

  /// A token fetched before a scope was granted does not have it; a young one would not gain by being fetched anew.
  private static let oldToken = Duration.seconds(300)

  private func refusal(_ response: HTTPResponse, _ request: HTTPRequest) -> RPCError {
    if response.status == 403 { tokens?.drop(olderThan: Self.oldToken) }
    return failure.error(response, request)
  }

  private func request(_ method: HTTPMethod, _ path: [String], _ query: [(String, String)] = []) -> HTTPRequest {
    let url = path.reduce(settings.url.appending("v1")) { $0.appending($1) }.adding(query: query)
    var request = HTTPRequest(
      method, url, headers: ["Accept": "application/json"], timeouts: settings.connection.timeouts)
    request.headers["Accept-Language"] = settings.language
    return request
  }
}
