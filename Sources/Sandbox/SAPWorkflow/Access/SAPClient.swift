/// An OAuth client, as a service instance's key describes it.
package struct SAPClient: Sendable, Identifiable {
  package let id: String
  package var secret: String
  /// What a token fetched from now on may do.
  package var scopes: [SAPScope]

  package init(id: String, secret: String, scopes: [SAPScope]) {
    self.id = id
    self.secret = secret
    self.scopes = scopes
  }

  /// With the characters that make real ids and secrets awkward.
  package static let standardID = "sb-clone-3f6c2c1e-58c5-4b7e-9a53-0d2f6b1c7e44!b55889|workflow!b10150"
  package static let standardSecret = "fR0m-The_Sandb0x$aLone="
}
