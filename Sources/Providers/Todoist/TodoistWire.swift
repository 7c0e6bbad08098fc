internal import RingiKit

/// The headers and the error bodies of the service.
@Loop
final class TodoistWire: TaskListWire {
  private let refusal: TaskListRefusal
  private let log: @Loop @Sendable (ProviderContext.LogLevel, String) -> Void
  /// What gives the instance a token.
  private let advice: String
  private var lastWarning: String?

  init(_ context: ProviderContext, advice: String) {
    self.advice = advice
    refusal = TaskListRefusal(instance: context.instance, clock: context.clock)
    log = context.log
  }

  func authorize(_ request: inout HTTPRequest, with token: String) {
    request.headers["Authorization"] = "Bearer \(token)"
  }

  /// The service announces the end of an API version in a header of every answer.
  func note(_ response: HTTPResponse) {
    guard let warning = response.headers["Warning"], warning != lastWarning else { return }
    lastWarning = warning
    log(.warning, "the service warns: \(warning)")
  }

  func refusal(_ response: HTTPResponse, _ request: HTTPRequest) -> RPCError {
    let body = try? response.json()
    let (tag, reason) = (body?["error_tag"]?.string, body?["error"]?.string)
    switch response.status {
    case 300...399: return refusal.backend(response, "leads elsewhere; check the url setting")
    case 401: return refusal.login(reason, "\(advice), and check that the url setting ends in /api/v1")
    case 403 where tag == "AUTH_INSUFFICIENT_TOKEN_SCOPE":
      return refusal.backend(response, "wants a token with a larger scope for this; make one", code: tag)
    case 404: return refusal.missing(response, reason)
    case 410:
      return refusal.backend(
        response, "has this version of its API no more; the url setting should end in /api/v1", code: tag)
    case 408, 425, 429, 500...: return refusal.passing(response, reason)
    default:
      let extra = body?["error_extra"].map { ["extra": $0] } ?? [:]
      let argument = body?["error_extra"]?["argument"]?.string.map { " (\($0))" } ?? ""
      return refusal.backend(
        response, "refused the request\(reason.map { ": \($0)" } ?? "")\(argument)", code: tag, details: extra)
    }
  }
}

/// Reads how long to wait from the body of a 429 that lacks the header.
@Loop
final class TodoistLimitClient: HTTPClient {
  private let base: any HTTPClient

  init(_ base: any HTTPClient) { self.base = base }

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let response = try await base.send(request)
    guard response.status == 429, response.headers["Retry-After"] == nil,
      let seconds = (try? response.json())?["error_extra"]?["retry_after"]?.double, seconds >= 0, seconds < 1e9
    else { return response }
    var headers = response.headers
    headers["Retry-After"] = String(Int64(seconds.rounded(.up)))
    return HTTPResponse(status: response.status, headers: headers, body: response.body, url: response.url)
  }
}
