public import EventLoop

/// A backend that can be checked on demand, for `ringi doctor`.
@Loop
public protocol Checkup: AnyObject {
  /// Looks whether the backend can be reached and lets the instance in, with one harmless read over the way that calls
  /// take.
  ///
  /// It tries a login once at most, and not at all with credentials that were refused last time.
  ///
  /// - Parameters:
  ///   - file: The instance's file of plugins.d, for the advice.
  ///   - limit: How long it may take.
  /// - Returns: What was found, without any secret.
  func findings(file: String, within limit: Duration) async -> [Finding]
}
