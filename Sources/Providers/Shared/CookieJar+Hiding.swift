internal import RingiKit

extension CookieJar {
  /// Keeps the cookies of a login out of what the agent says.
  ///
  /// Short ones tell of languages and nodes, and as secrets would blot out words.
  func hide(with hide: @Loop @Sendable (String) -> Void) {
    for cookie in pairs where cookie.value.utf8.count >= 16 { hide(cookie.value) }
  }
}
