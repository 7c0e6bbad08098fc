internal import RingiKit

/// The access token of an instance: the one of the settings, or the one that a login left in the instance's state.
@Loop
final class TaskListToken {
  static let key = "oauth.access-token"

  private let setting: Secret?
  private let context: ProviderContext
  /// What gives the instance a token.
  private let advice: String
  private var current: String?

  init(_ setting: Secret?, advice: String, context: ProviderContext) {
    self.setting = setting
    self.advice = advice
    self.context = context
  }

  var isInSettings: Bool { setting != nil }

  /// The token to use now.
  ///
  /// - Throws: `RPCError` (login-required) when there is none or it can't be read; unavailable when the store can't be.
  func value() async throws -> String {
    if let current { return current }
    let value = try await read()
    current = value
    return value
  }

  /// Forgets a token that the backend refused: it may have been renewed where it is kept.
  func drop(_ value: String) {
    if current == value { current = nil }
  }

  /// Keeps the token of a login, in place of the one before.
  func keep(_ token: String) async throws {
    context.hide(token)
    try await context.state.set(Self.key, JSONValue(token))
    current = token
  }

  private func read() async throws -> String {
    if let setting { return try await context.readSecret(setting) }
    guard let token = try await context.state.get(Self.key)?.string else {
      throw RPCError.loginRequired(
        provider: context.instance,
        message: "\(context.instance): nobody has logged in; \(advice).")
    }
    context.hide(token)
    return token
  }
}
