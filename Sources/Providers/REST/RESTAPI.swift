internal import RingiKit

/// Requests and answers as the settings describe them; errors as a client of the agent sees them.
@Loop
final class RESTAPI {
  let instance: String
  let settings: RESTSettings
  let failure: RESTFailure
  let log: @Loop @Sendable (ProviderContext.LogLevel, String) -> Void
  private let client: any HTTPClient
  private let tokens: TokenSource?

  init(_ settings: RESTSettings, context: ProviderContext) {
    instance = context.instance
    self.settings = settings
    failure = RESTFailure(instance: context.instance, clock: context.clock, rules: settings.errors)
    log = context.log
    let service = RESTClient(settings, context: context)
    client = RetryingClient(service.client, clock: context.clock)
    tokens = service.tokens
  }

  /// Waits for a login under way.
  func settle() async { await tokens?.settle(within: .seconds(5)) }

  /// Reads something.
  ///
  /// - Returns: The answer, which says that it is a success and is no page.
  /// - Throws: `RPCError`.
  func read(_ request: HTTPRequest) async throws -> HTTPResponse {
    let response: HTTPResponse
    do throws(HTTPError) {
      response = try await client.send(request)
    } catch {
      throw failure.error(error, mayRepeat: true)
    }
    // A part of an answer, such as of a list, is not the answer.
    guard response.isSuccess, response.status != 206, !response.isPage, !saysFailure(response) else {
      throw failure.error(response)
    }
    return response
  }

  /// Changes something.
  ///
  /// - Returns: The answer; of a DELETE that may be repeated also one that says that the record is not there any more.
  /// - Throws: `RPCError` when nothing happened; `UnclearOutcome` when nobody knows.
  func write(_ request: HTTPRequest) async throws -> HTTPResponse {
    let response: HTTPResponse
    do throws(HTTPError) {
      response = try await client.send(request)
    } catch {
      let cause = failure.error(error, mayRepeat: request.isIdempotent)
      if error.requestWasSent, !request.isIdempotent { throw UnclearOutcome(cause: cause) }
      throw cause
    }
    if response.isSuccess, !response.isPage, !saysFailure(response) { return response }
    let isRepeatable = request.method == .delete && !request.isSentOnce
    if isRepeatable, [404, 410].contains(response.status), !response.isPage { return response }
    let error = failure.error(response)
    if isUnclear(response, error), !request.isIdempotent { throw UnclearOutcome(cause: error) }
    throw error
  }

  /// Whether an answer to a write leaves open what became of it: a gateway's statuses, redirects and pages do, unless
  /// the settings say what the answer means.
  private func isUnclear(_ response: HTTPResponse, _ error: RPCError) -> Bool {
    let names = [error.details["code"]?.string, String(response.status)].compactMap(\.self)
    if names.contains(where: { settings.errors.kinds[$0] != nil }) { return error.kind == "unavailable" }
    switch response.status {
    case 200...299: return response.isPage
    case 300...399, 408, 425, 429: return true
    case 501: return false
    default: return response.status >= 500
    }
  }

  private func saysFailure(_ response: HTTPResponse) -> Bool {
    guard settings.errors.success != nil else { return false }
    return settings.errors.isFailure((try? response.plainJSON()) ?? nil)
  }

  /// The JSON of an answer.
  ///
  /// - Throws: `RPCError` when there is none: an empty body says nothing.
  func json(_ response: HTTPResponse) throws -> JSONValue {
    let json: JSONValue?
    do throws(HTTPBodyError) {
      json = try response.plainJSON()
    } catch {
      throw failure.malformed("\(error)")
    }
    guard let json else { throw failure.malformed("it has no content") }
    return json
  }

  /// What a method gives back for an answer; null where the answer has no content.
  func result(_ response: HTTPResponse, of operation: RESTOperation) throws -> JSONValue {
    guard response.isSuccess, !response.body.isEmpty else { return .null }
    do {
      guard let value = try json(response)[pointer: operation.result] else {
        throw failure.malformed("there is nothing at \(operation.result.description.debugDescription)")
      }
      return settings.names.local(value)
    } catch let error as RPCError where operation.changes {
      // The change is made, whatever its answer looks like.
      log(.warning, "\(operation.name): it was done, but \(error.message)")
      return .null
    }
  }
}
