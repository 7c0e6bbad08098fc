package import EventLoop
internal import Glibc
package import RingiKit
internal import Timing

/// Reads the values of secrets where they are kept, anew each time, and makes each unspeakable.
@Loop
package final class SecretReader {
  /// The longest value, in bytes.
  package nonisolated static let maxBytes = 64 << 10
  /// The most that a command may take; it may have to ask a person.
  package nonisolated static let timeout = Duration.seconds(60)
  private static let grace = Duration.seconds(2)

  private let environment: [String: String]
  private let clock: any LoopClock
  private let redactor: Redactor
  /// What the redactor knows already, since values are read often and change rarely.
  private var known: Set<String> = []

  /// Makes a reader.
  ///
  /// - Parameters:
  ///   - environment: The agent's own; commands get all of it.
  ///   - clock: Measures the time that commands take.
  ///   - redactor: Learns each value that is read.
  package init(environment: [String: String], clock: any LoopClock, redactor: Redactor) {
    self.environment = environment
    self.clock = clock
    self.redactor = redactor
  }

  /// Reads a secret.
  ///
  /// - Parameters:
  ///   - secret: Where it is.
  ///   - directory: Where relative paths and commands start from: the folder of the file that speaks of the secret.
  /// - Returns: The value, never empty.
  /// - Throws: ``SecretError``, which names the place and not the value; `CancellationError`.
  package func read(_ secret: Secret, in directory: String) async throws -> String {
    let value: String
    do {
      value = try await find(secret.origin, directory)
    } catch let reason as SecretError.Reason {
      throw SecretError(secret: secret, reason: reason)
    }
    if known.insert(value).inserted { redactor.add(value) }
    return value
  }

  /// Makes a value unspeakable that was not read here: one that an instance's backend gave.
  package func hide(_ value: String, of instance: String) { redactor.addPassing(value, of: instance) }

  private func find(_ origin: Secret.Origin, _ directory: String) async throws -> String {
    switch origin {
    case .value(let value): return try checked(value)
    case .environment(let name):
      guard let value = environment[name] else { throw SecretError.Reason.notSet }
      return try checked(value)
    case .file(let path): return try text(try SecretFile.read(path.hasPrefix("/") ? path : "\(directory)/\(path)"))
    case .credential(let name):
      guard let folder = environment["CREDENTIALS_DIRECTORY"] else { throw SecretError.Reason.noCredentials }
      guard !name.contains("/"), name != ".", name != ".." else { throw SecretError.Reason.notAName }
      return try text(try SecretFile.read("\(folder)/\(name)"))
    case .command(let arguments): return try text(try await output(of: arguments, directory))
    }
  }

  private func output(of arguments: [String], _ directory: String) async throws -> [UInt8] {
    let command = ChildProcess.Command(arguments, environment: environment, directory: directory)
    do {
      // Its standard error may hold what its standard output should.
      let child = try ChildProcess(command, output: .captured(limit: Self.maxBytes))
      let status = try await child.exit(within: Self.timeout, grace: Self.grace, clock: clock)
      guard status.isSuccess else { throw SecretError.Reason.ended(status) }
      guard child.output.omitted == 0 else { throw SecretError.Reason.tooLong }
      return child.output.bytes
    } catch let error as ChildProcessError {
      throw SecretError.Reason.notStarted(error)
    } catch is TimeoutError {
      throw SecretError.Reason.timeout
    }
  }

  /// Without one newline at the end.
  private func text(_ bytes: [UInt8]) throws(SecretError.Reason) -> String {
    var bytes = bytes[...]
    if bytes.last == UInt8(ascii: "\n") {
      bytes.removeLast()
      if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .notText }
    return try checked(text)
  }

  private func checked(_ value: String) throws(SecretError.Reason) -> String {
    guard !value.isEmpty else { throw .empty }
    guard value.utf8.count <= Self.maxBytes else { throw .tooLong }
    return value
  }
}
