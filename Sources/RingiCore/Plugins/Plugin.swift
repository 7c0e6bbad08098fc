package import EventLoop
package import RingiKit

/// A loaded plugin of any kind; its crash, hang or flood stays behind this protocol.
@Loop
package protocol Plugin: AnyObject {
  /// The instance's name: the prefix of its methods and of its tasks' ids.
  var instance: String { get }
  /// The provider, library or command that it was loaded from.
  var provider: String { get }
  var methods: [Method] { get }
  var source: (any TaskSource)? { get }
  /// What it does at each poll when it has no tasks.
  var watch: (any Watch)? { get }
  /// Ends it.
  ///
  /// - Parameter isHurried: Whether the agent ends, and has less time to give.
  func stop(isHurried: Bool) async
}

extension Plugin {
  package var watch: (any Watch)? { nil }
}
