/// Why a time zone is not there.
public enum TimeZoneError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text can't be the name of a zone.
  case malformed(identifier: String)
  /// The database is there and has no such zone.
  case unknown(identifier: String, folder: String)
  /// There is no time zone database.
  case noDatabase(identifier: String, folder: String)
  /// The zone's file can't be read, or isn't a TZif file.
  case unreadable(path: String, reason: String)

  /// One sentence that says what is wrong and what to do.
  public var description: String {
    switch self {
    case .malformed(let identifier):
      "\"\(identifier)\" is no time zone: write an IANA name such as Europe/Berlin, or UTC"
    case .unknown(let identifier, let folder):
      "there is no time zone \"\(identifier)\" in \(folder): check its spelling, capitals too; "
        + "old names may need the package tzdata-legacy"
    case .noDatabase(let identifier, let folder):
      "the time zone \"\(identifier)\" needs the time zone database, and there is no \(folder): "
        + "install the package tzdata, or set TZDIR to the folder that has it"
    case .unreadable(let path, let reason):
      "the time zone file \(path) can't be used: \(reason); reinstall the package tzdata"
    }
  }
}
