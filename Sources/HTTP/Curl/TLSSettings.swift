/// Whom to trust, and who we are, in a TLS handshake; the server's certificate is always verified.
public struct TLSSettings: Sendable, Hashable {
  /// A PEM file of authorities to trust instead of the system's.
  public var authorityFile: String?
  /// A directory of authorities, prepared by `openssl rehash`, to trust instead of the system's.
  public var authorityDirectory: String?
  /// A PEM file with our certificate and its chain.
  public var clientCertificate: String?
  /// A PEM file with the certificate's private key, unencrypted; nil when the key is in the certificate's file.
  public var clientKey: String?

  public init(
    authorityFile: String? = nil, authorityDirectory: String? = nil, clientCertificate: String? = nil,
    clientKey: String? = nil
  ) {
    self.authorityFile = authorityFile
    self.authorityDirectory = authorityDirectory
    self.clientCertificate = clientCertificate
    self.clientKey = clientKey
  }
}
