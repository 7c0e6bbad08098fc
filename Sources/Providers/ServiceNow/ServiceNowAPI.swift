internal import RingiKit

/// Requests and answers of the Table API exactly as on the wire; errors as a client of the agent sees them.
@Loop
final class ServiceNowAPI {
  let instance: String
  let clock: any LoopClock
  let failure: ServiceNowFailure
  let log: @Loop @Sendable (ProviderContext.LogLevel, String) -> Void
  /// Hears of each write, before and after.
  var onWrite: () -> Void = {}
  private let settings: ServiceNowSettings
  private let client: any HTTPClient
  /// Without credentials; shared with the web pages, which rest when the instance asks for that.
  let service: any HTTPClient
  /// Of an OAuth login; shared with the web pages.
  let tokens: ServiceNowLogin.Tokens?

  init(_ settings: ServiceNowSettings, context: ProviderContext) {
    instance = context.instance
    clock = context.clock
    log = context.log
    failure = ServiceNowFailure(settings, context: context)
    self.settings = settings
    let login = ServiceNowLogin(settings, context: context)
    client = RetryingClient(login.client, clock: context.clock)
    service = login.service
    tokens = login.tokens
  }

  /// Waits for a login under way, whose refresh token has to be kept.
  func settle() async { await tokens?.source.settle(within: .seconds(5)) }

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
    guard response.status == 200 else { throw failure.error(response, request) }
    return response
  }

  /// What an answer gives.
  ///
  /// - Throws: `RPCError` for a page in the place of data, and for an answer that ends in an error.
  func result(_ response: HTTPResponse) throws -> JSONValue {
    let json: JSONValue
    do throws(HTTPBodyError) {
      json = try response.json()
    } catch {
      switch error {
      case .notJSON(_, "text/html"): throw failure.error(response, request(.get, []))
      case .notJSON, .malformed, .undecodable: throw failure.malformed("\(error)")
      }
    }
    if json["error"].map({ !$0.isNull }) == true { throw failure.partial(response, ServiceNowErrorBody(json)) }
    guard let result = json["result"] else { throw failure.malformed("there is no result in it") }
    return result
  }

  /// Reads one record; nil when there is none that the login may see.
  ///
  /// - Throws: `RPCError`.
  func record(_ table: String, _ id: String, _ query: [(String, String)] = []) async throws -> JSONValue? {
    do {
      let record = try result(try await read([table, id], query))
      guard record.object != nil else { throw failure.malformed("a record is no object") }
      try check(record, id)
      return record
    } catch let error as RPCError where error.kind == "not-found" {
      return nil
    }
  }

  /// A record that shows its sys_id, unless it was not asked for, is the one that was meant.
  private func check(_ record: JSONValue, _ id: String) throws {
    guard let other = record["sys_id"]?.fieldValue, other != id else { return }
    throw failure.malformed("it is the record \(other) instead of \(id)")
  }

  // MARK: Writing

  /// Changes something by one request, which is sent again only when it can't have arrived or was refused unread.
  ///
  /// - Returns: The answer, of a status of 2xx.
  /// - Throws: `RPCError` when nothing happened; `UnclearOutcome` when nobody knows.
  func write(
    _ method: HTTPMethod, _ path: [String], _ query: [(String, String)] = [], _ body: JSONValue? = nil
  ) async throws -> HTTPResponse {
    var request = request(method, path, query)
    if let body { request.setBody(json: body) }
    onWrite()
    defer { onWrite() }
    let response = try await send(request)
    let isPage = response.contentType?.essence == "text/html"
    switch response.status {
    case 202: throw failure.error(response, request)
    case 200...299 where isPage && ServiceNowFailure.isAsleep(response): throw failure.error(response, request)
    case 200...299 where isPage || GuestClient.isForGuest(response):
      throw UnclearOutcome(cause: failure.error(response, request))
    case 200...299: return response
    // The instance's own rule, which counts before anything is done; a gateway says less.
    case 429 where response.headers["X-RateLimit-Rule"] != nil: throw failure.error(response, request)
    case 408, 425, 429, 500...: throw UnclearOutcome(cause: failure.error(response, request))
    default: throw failure.error(response, request)
    }
  }

  /// What the answer to a write gives; the service has taken the write, whatever its answer looks like.
  ///
  /// - Parameters:
  ///   - response: The answer.
  ///   - id: The record that was written; nil for a new one.
  /// - Returns: The record as it is now.
  /// - Throws: `UnclearOutcome`.
  func result(ofWrite response: HTTPResponse, to id: String? = nil) throws -> JSONValue {
    do {
      let result = try result(response)
      if let id { try check(result, id) }
      return result
    } catch let error as RPCError {
      throw UnclearOutcome(cause: error)
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

  private func request(_ method: HTTPMethod, _ path: [String], _ query: [(String, String)] = []) -> HTTPRequest {
    let url = path.reduce(settings.url.appending("api", "now", "table")) { $0.appending($1) }.adding(query: query)
    return HTTPRequest(
      method, url, headers: ["Accept": "application/json"], timeouts: settings.connection.timeouts)
  }
}
