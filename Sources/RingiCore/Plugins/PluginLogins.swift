internal import Crypto
internal import EventLoop
internal import HTTP
internal import JSON
internal import JSONRPC
internal import RingiKit
internal import Text

/// The logins that persons have begun with a browser, each good for one answer.
@Loop
final class PluginLogins {
  private struct Attempt {
    let login: any BrowserLogin
    let state: String
    let verifier: String
    /// The clock's uptime, in nanoseconds.
    let end: Int64
  }

  /// How long a person may take.
  static let patience = Duration.seconds(600)

  private let clock: any LoopClock
  /// How many an instance may have under way: two people, or one who begins anew.
  private static let most = 4

  /// The last ones of each instance, the oldest first.
  private var attempts: [String: [Attempt]] = [:]

  init(clock: any LoopClock) { self.clock = clock }

  /// Begins a login.
  ///
  /// - Returns: `{plugin, url, redirect, state, expiresIn}`.
  /// - Throws: `RPCError`.
  func begin(_ instance: String, _ login: any BrowserLogin) throws -> JSONValue {
    let (state, verifier) = (Self.random(), Self.random())
    let challenge = Self.urlBase64(try SHA256.hash(of: Array(verifier.utf8)))
    let page = try login.page(state: state, challenge: challenge)
    let seconds = Self.patience.components.seconds
    let attempt = Attempt(
      login: login, state: state, verifier: verifier, end: clock.uptime + seconds * 1_000_000_000)
    attempts[instance] = (open(instance, login) + [attempt]).suffix(Self.most)
    return [
      "plugin": JSONValue(instance), "url": JSONValue(page.text), "redirect": JSONValue(login.redirect),
      "state": JSONValue(state), "expiresIn": JSONValue(seconds),
    ]
  }

  /// Ends a login: an answer with another state changes nothing, and a code is used once.
  ///
  /// - Parameters:
  ///   - instance: The instance.
  ///   - login: How it logs in.
  ///   - state: What came back with the browser.
  ///   - code: The same.
  ///   - willUse: Called before the code is used, and only when it is.
  /// - Returns: Who is logged in.
  /// - Throws: `RPCError`.
  func finish(
    _ instance: String, _ login: any BrowserLogin, state: String, code: String, willUse: () -> Void
  ) async throws -> String {
    var open = open(instance, login)
    attempts[instance] = open.isEmpty ? nil : open
    guard !open.isEmpty else {
      throw RPCError.notFound("No login of \(instance) is under way; begin it anew with `ringi login \(instance)`.")
    }
    guard let index = open.firstIndex(where: { areEqualSecrets($0.state, state) }) else {
      throw RPCError.conflict(
        "This is no answer to the login of \(instance) that was begun (another state); nothing was changed.")
    }
    let attempt = open.remove(at: index)
    attempts[instance] = open
    willUse()
    return try await login.logIn(code: code, verifier: attempt.verifier)
  }

  /// Those that can still be answered: in time, and of the plugin that runs.
  private func open(_ instance: String, _ login: any BrowserLogin) -> [Attempt] {
    (attempts[instance] ?? []).filter { $0.login === login && clock.uptime < $0.end }
  }

  /// Gives up a login that was begun; the instance is not there any more.
  func forget(_ instance: String) { attempts[instance] = nil }

  /// 32 random bytes: 43 characters, as many as a proof key needs (RFC 7636 §4.1).
  private static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return urlBase64((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
  }

  private static func urlBase64(_ bytes: [UInt8]) -> String {
    Base64.encode(bytes).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}
