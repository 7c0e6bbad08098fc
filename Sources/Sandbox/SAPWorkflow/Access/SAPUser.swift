/// A person who can log in.
package struct SAPUser: Sendable, Identifiable {
  package enum Role: String, Sendable, CaseIterable {
    /// May do everything.
    case admin
    /// May see and complete the tasks they are a recipient of.
    case recipient
  }

  package let name: String
  package var password: String
  package var role: Role
  package var groups: [String]

  package var id: String { name }

  package init(name: String, password: String, role: Role, groups: [String] = []) {
    self.name = name
    self.password = password
    self.role = role
    self.groups = groups
  }
}
