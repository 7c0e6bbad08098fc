internal import RingiKit

/// How much more a list may bring: a service that never ends one must not fill the memory.
struct ListBudget {
  /// The longest list, in bytes of its pages' bodies.
  static let most = 256 << 20

  private let instance: String
  private let list: String
  private var left = most

  /// - Parameters:
  ///   - instance: The plugin instance.
  ///   - list: What the service calls the list.
  init(_ instance: String, _ list: String) { (self.instance, self.list) = (instance, list) }

  /// Counts a page.
  ///
  /// - Throws: `RPCError` (backend-error) when the list is too long by now.
  mutating func take(_ page: HTTPResponse) throws(RPCError) {
    left -= page.body.count
    guard left >= 0 else {
      throw .backendError(
        provider: instance,
        message:
          "\(instance): the list \(list) has more than \(Self.most >> 20) MiB and may never end; narrow it down with filters, or have the service's list checked."
      )
    }
  }
}
