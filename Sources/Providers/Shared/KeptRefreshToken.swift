internal import Crypto
internal import Glibc
internal import RingiKit

/// The refresh token of the settings, and the one that the server gave in exchange for it.
///
/// One from a file goes back into the file. Any other is kept in the instance's state; there a login puts the token of an
/// instance whose settings have none.
@Loop
final class KeptRefreshToken: RefreshTokenStore {
  static let key = "oauth.refresh-token"

  /// Where the settings have it; nil when it is in the state alone.
  private let secret: Secret?
  private let context: ProviderContext
  /// The fingerprint of the token in the settings, as last read.
  private var origin = ""
  /// A token that its place did not take, and the one that is there instead.
  private var unkept: (token: String, old: String)?

  init(_ secret: Secret?, context: ProviderContext) {
    self.secret = secret
    self.context = context
  }

  func load() async throws(TokenError) -> String? {
    guard let found = try await read() else { return nil }
    guard let unkept else { return found }
    // Whoever changed it meanwhile knows better.
    if unkept.old != found {
      self.unkept = nil
      return found
    }
    // Not to be exchanged in its turn before: a server forgives the use of the last token, not of the one before it.
    try await save(unkept.token, replacing: unkept.old)
    return unkept.token
  }

  func save(_ token: String, replacing old: String) async throws(TokenError) {
    context.hide(token)
    unkept = (token, old)
    do {
      if let file {
        try await replace(file, with: token + "\n")
      } else {
        try await context.state.set(Self.key, ["origin": JSONValue(origin), "token": JSONValue(token)])
      }
    } catch {
      throw .storage("\(error)")
    }
    unkept = nil
  }

  /// Keeps the token of a login, whatever was there before.
  ///
  /// - Parameter token: The token; nil when the login brought none, and then the one before counts no more either.
  /// - Throws: `TokenError.storage(_:)`; what was there stays then.
  func begin(with token: String?) async throws(TokenError) {
    if let token { context.hide(token) }
    do {
      try await context.state.set(Self.key, token.map { ["origin": "", "token": JSONValue($0)] })
    } catch {
      throw .storage("\(error)")
    }
    unkept = nil
  }

  private var file: String? {
    guard case .file(let path)? = secret?.origin else { return nil }
    return path.hasPrefix("/") ? path : "\(context.directory)/\(path)"
  }

  private func read() async throws(TokenError) -> String? {
    var original: String?
    do {
      if let secret { original = try await context.readSecret(secret) }
    } catch {
      throw .noRefreshToken("\(error)")
    }
    if file != nil { return original }
    do {
      origin = try original.map(fingerprint) ?? ""
      // One that grew from another original is out of date: somebody has logged in anew.
      guard let kept = try await context.state.get(Self.key), let token = kept["token"]?.string,
        kept["origin"]?.string == origin
      else { return original }
      context.hide(token)
      return token
    } catch {
      throw .storage("\(error)")
    }
  }

  private func fingerprint(_ original: String) throws -> String {
    try SHA256.hash(of: Array(original.utf8)).hex
  }

  /// On a thread of its own, since it waits for the disk, which the loop's thread must not.
  private func replace(_ path: String, with text: String) async throws {
    let thread = SerialThread()
    try thread.start()
    defer { thread.stop() }
    try await withCheckedThrowingContinuation { continuation in
      thread.perform { [name = context.instance] in
        continuation.resume(with: Result { try Self.replace(path, with: text, name) })
      }
    }
  }

  /// Writes a new file beside the old one and puts it in its place, so that one of the two is there whatever happens.
  private nonisolated static func replace(_ path: String, with text: String, _ name: String) throws(SystemError) {
    let path = resolved(path)
    let temporary = "\(path).\(name).\(getpid()).new"
    let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw SystemError(errno, "open \(temporary)") }
    var text = text
    // A write of part of it leaves no error number.
    errno = ENOSPC
    let written = text.withUTF8 { write(file, $0.baseAddress, $0.count) == $0.count && fsync(file) == 0 }
    let failure = errno
    close(file)
    guard written, rename(temporary, path) == 0 else {
      let code = written ? errno : failure
      unlink(temporary)
      throw SystemError(code, "write \(path)")
    }
    try flushFolder(of: path)
  }

  /// The file itself where the path is a link, which is to stay one.
  private nonisolated static func resolved(_ path: String) -> String {
    guard let found = realpath(path, nil) else { return path }
    defer { free(found) }
    return String(cString: found)
  }

  /// The new name survives a power failure when the folder is on the disk, too.
  private nonisolated static func flushFolder(of path: String) throws(SystemError) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError(errno, "open \(folder)") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw SystemError(errno, "fsync \(folder)") }
  }
}
