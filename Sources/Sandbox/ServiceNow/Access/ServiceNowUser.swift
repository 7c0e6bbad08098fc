/// A user of the instance.
package struct ServiceNowUser: Sendable, Identifiable {
  package var name: String
  package var fullName: String
  /// nil for a user of single sign-on.
  package var password: String?
  package var isAdmin: Bool
  /// An inactive user's tokens fail at once.
  package var isActive = true
  /// Whether Basic is open to the account even where it is restricted.
  package var mayUseBasic = false
  /// The names of users who decide in this user's place.
  package var delegates: [String] = []
  /// What the user's clock is ahead of UTC, for display values.
  package var zone = Duration.seconds(9 * 3600)
  /// The key of the user's record.
  package let sysID: String

  package var id: String { name }

  package init(name: String, fullName: String, password: String?, isAdmin: Bool = false) {
    self.name = name
    self.fullName = fullName
    self.password = password
    self.isAdmin = isAdmin
    sysID = RandomText.lowerHex(32)
  }
}
