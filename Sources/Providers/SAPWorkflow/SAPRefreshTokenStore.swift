internal import Glibc
internal import RingiKit

/// The refresh token of the settings; one that the server exchanges goes back into its file.
@Loop
final class SAPRefreshTokenStore: RefreshTokenStore {
  private let secret: Secret
  private let context: ProviderContext
  /// The newest token, where it could not be kept in a file.
  private var unkept: String?

  init(_ secret: Secret, context: ProviderContext) {
    self.secret = secret
    self.context = context
  }

  func load() async throws -> String? {
    if let unkept { return unkept }
    return try await context.readSecret(secret)
  }

  func save(_ token: String) async throws {
    context.hide(token)
    unkept = token
    guard case .file(let path) = secret.origin else {
      context.log(
        .warning,
        "The login server exchanged the refresh token, and \(secret) cannot take the new one: it is lost when the agent ends. Keep the token in a file ({\"file\": PATH})."
      )
      return
    }
    let file = path.hasPrefix("/") ? path : "\(context.directory)/\(path)"
    // It waits for the disk, which the loop's thread must not.
    try await Task.detached { try Self.replace(file, with: token + "\n") }.value
    unkept = nil
  }

  /// Writes a new file beside the old one and puts it in its place, so that one of the two is there whatever happens.
  private nonisolated static func replace(_ path: String, with text: String) throws(SystemError) {
    let temporary = "\(path).\(getpid()).new"
    let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw SystemError(errno, "open \(temporary)") }
    var text = text
    let written = text.withUTF8 { write(file, $0.baseAddress, $0.count) == $0.count && fsync(file) == 0 }
    let failure = errno
    close(file)
    guard written, rename(temporary, path) == 0 else {
      let code = written ? errno : failure
      unlink(temporary)
      throw SystemError(code, "write \(path)")
    }
  }
}
