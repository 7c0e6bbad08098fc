internal import RingiKit

/// Sends a user's name and password with each request (RFC 7617).
@Loop
final class BasicClient: HTTPClient {
  private let base: any HTTPClient
  private let user: String
  private let readPassword: @Loop @Sendable () async throws -> String
  private var authorization: String?

  /// Keeps what a login takes.
  ///
  /// - Parameters:
  ///   - base: What sends.
  ///   - user: Whom to log in as.
  ///   - readPassword: Asked at first and after a refusal, so that a changed password is found.
  init(_ base: any HTTPClient, user: String, readPassword: @escaping @Loop @Sendable () async throws -> String) {
    self.base = base
    self.user = user
    self.readPassword = readPassword
  }

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let used: String
    if let authorization { used = authorization } else { used = try await read(for: request) }
    let response = try await base.send(request.authorized(used))
    guard response.status == 401 else { return response }
    // The same password again would only bring the account nearer to being locked.
    let now = try await read(for: request)
    return now == used ? response : try await base.send(request.authorized(now))
  }

  private func read(for request: HTTPRequest) async throws(HTTPError) -> String {
    do {
      let read = HTTPHeaders.basic(user: user, password: try await readPassword())
      authorization = read
      return read
    } catch {
      throw HTTPError(.token(.noClientSecret("\(error)")), of: request)
    }
  }
}

extension HTTPRequest {
  fileprivate func authorized(_ authorization: String) -> HTTPRequest {
    var request = self
    request.headers["Authorization"] = authorization
    return request
  }
}
