internal import RingiKit

/// Resources as the service has them; errors as a client of the agent sees them.
@Loop
final class CuramAPI {
  let failure: CuramFailure
  private let base: HTTPURL
  private let client: CuramClient

  init(_ settings: CuramSettings, client: CuramClient) {
    base = settings.url
    failure = client.failure
    self.client = client
  }

  /// Reads a resource.
  ///
  /// - Throws: `RPCError`.
  func read(_ path: CuramPath) async throws -> JSONValue {
    let response: HTTPResponse
    do {
      response = try await client.send(.get, path.url(below: base))
    } catch let error as HTTPError {
      throw failure.error(error, mayRepeat: true)
    }
    guard response.isSuccess, !CuramClient.isLoggedOut(response) else { throw failure.error(response) }
    return try json(response)
  }

  /// Reads a list: the array `data` of an object.
  ///
  /// - Throws: `RPCError`.
  func list(_ path: CuramPath) async throws -> JSONValue {
    guard let data = try await read(path)["data"], data.array != nil else {
      throw failure.malformed("there is no array data in it; read what is no list with resource.get")
    }
    return data
  }

  /// Changes something: one request, sent again only when the service says that it did nothing.
  ///
  /// - Returns: The answer's JSON, null when it has none, and the id that it gives to what was made.
  /// - Throws: `RPCError` when nothing happened; `UnclearOutcome` when nobody knows.
  func write(_ method: HTTPMethod, _ path: CuramPath, _ body: JSONValue) async throws -> (body: JSONValue, id: String?)
  {
    let response: HTTPResponse
    do {
      response = try await client.send(method, path.url(below: base), body: body)
    } catch let error as HTTPError {
      throw error.ofWrite(failure.error(error, mayRepeat: false))
    }
    if CuramClient.isUndone(response) { throw failure.error(response) }
    switch response.status {
    case 200 where Self.isPage(response), 300...399:
      throw UnclearOutcome(cause: failure.backend("answers a write with \(failure.shape(response))", response))
    case 200...299: break
    case 408, 425, 429, 500...: throw UnclearOutcome(cause: failure.error(response))
    default: throw failure.error(response)
    }
    // It was done, whatever the answer looks like.
    return ((try? response.json()) ?? .null, Self.id(response))
  }

  private func json(_ response: HTTPResponse) throws -> JSONValue {
    do throws(HTTPBodyError) {
      return try response.json()
    } catch {
      throw failure.malformed("\(error)")
    }
  }

  /// Some servers call an empty body a page.
  private static func isPage(_ response: HTTPResponse) -> Bool {
    response.contentType?.essence == "text/html" && response.text.string.contains { !$0.isWhitespace }
  }

  /// The last part of `Location`, whose host and context root may be wrong behind a gateway.
  private static func id(_ response: HTTPResponse) -> String? {
    guard let location = response.headers["Location"], let url = try? response.url.resolving(location) else {
      return nil
    }
    return url.text.prefix { $0 != "?" }.split(separator: "/").last.map(String.init)
  }
}
