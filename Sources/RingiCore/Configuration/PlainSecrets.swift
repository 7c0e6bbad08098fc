internal import CLinux
internal import Glibc
internal import JSON

/// Secrets that are written out in a file.
enum PlainSecrets {
  /// Warns of each secret that stands in a file which everybody may read.
  ///
  /// - Parameters:
  ///   - file: The file; the warnings go to it.
  ///   - schema: Which parts are secrets.
  ///   - pointer: The value that the schema is about.
  static func check(_ file: inout ConfigurationFile, _ schema: Schema, at pointer: JSONPointer) {
    guard let value = file.value[pointer: pointer], isOpen(file.path) else { return }
    for place in Set(SecretPlaces.find(in: value, schema.json, at: pointer))
    where file.value[pointer: place]?.string != nil {
      file.complain(
        at: place,
        "\(place.tokens.last ?? "") is a secret, and everybody on this machine can read the file: `chmod o-r` it, or "
          + "write {\"env\": …}, {\"file\": …}, {\"command\": …} or {\"credential\": …} instead",
        isWarning: true)
    }
  }

  private static func isOpen(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IROTH != 0
  }
}
