/// Who sent a request, and what they may do.
struct SAPCaller {
  let name: String
  let groups: [String]
  let scopes: Set<SAPScope>

  /// A person: an administrator may do what the login's client may, a recipient nothing beyond their own tasks.
  init(_ user: SAPUser, scopes: some Sequence<SAPScope> = SAPScope.allCases) {
    name = user.name
    groups = user.groups
    self.scopes = user.role == .admin ? Set(scopes) : []
  }

  init(client: String, scopes: some Sequence<SAPScope>) {
    name = client
    groups = []
    self.scopes = Set(scopes)
  }

  func may(_ scope: SAPScope) -> Bool { scopes.contains(scope) }
}
