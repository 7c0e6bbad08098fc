internal import CCrypto

/// The hash function SHA-256.
///
/// - SeeAlso: FIPS 180-4.
public enum SHA256 {
  /// How many bytes a hash has.
  public static let length = 32

  /// The system's cryptography library does not do its work: it is damaged, or configured not to.
  public struct Failure: Error, Equatable, CustomStringConvertible {
    public var description: String { "libcrypto computes no SHA-256; see to its installation and to openssl.cnf" }
  }

  /// Hashes bytes.
  ///
  /// - Returns: ``length`` bytes.
  /// - Throws: ``Failure``.
  public static func hash(of bytes: [UInt8]) throws(Failure) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: length)
    guard EVP_Digest(bytes, bytes.count, &hash, nil, EVP_sha256(), nil) == 1 else { throw Failure() }
    return hash
  }
}
