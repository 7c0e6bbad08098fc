/// An entry of the OAuth application registry.
package struct ServiceNowClient: Sendable, Identifiable {
  package static let standardID = "0f2b9c7de1a34b6f8d5e7a1c3b9d2e4f"
  package static let standardSecret = "S3cret+of&the=sandbox"
  package static let standardRedirect = "http://127.0.0.1:17781/callback"

  package let id: String
  package var secret: String
  package var redirectURIs = [standardRedirect]
  /// Who client credentials log in as.
  package var applicationUser: String? = "integration"

  package init(id: String, secret: String) {
    self.id = id
    self.secret = secret
  }
}
