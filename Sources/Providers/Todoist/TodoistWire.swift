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

  /// The seconds that the body of a 429 tells, for one without the header.
  static func wait(_ response: HTTPResponse) -> Int64? { wait(try? response.json()) }

  /// The seconds that an error tells.
  static func wait(_ error: JSONValue?) -> Int64? {
    guard let seconds = error?["error_extra"]?["retry_after"]?.double, seconds >= 0, seconds < 1e9 else { return nil }
    return Int64(seconds.rounded(.up))
  }
}
