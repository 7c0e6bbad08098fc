import Foundation
import Glibc
import RingiTestSupport

/// One of the package's programs, or another, run for a test.
///
/// Used by one test at a time; the reading threads touch the collected output under the lock: hence `@unchecked Sendable`.
final class Program: @unchecked Sendable {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let errors = Pipe()
  private let lock = NSLock()
  private let readers = DispatchGroup()
  private var collected: [Data] = [Data(), Data()]
  private let exited = DispatchSemaphore(value: 0)

  /// Where the build put the package's programs.
  static let folder: URL = {
    // The test bundle lies beside the programs.
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: bundle).deletingLastPathComponent()
  }()

  static func isInstalled(_ name: String) -> Bool { path(of: name) != nil }

  private static func path(of name: String) -> URL? {
    let own = folder.appendingPathComponent(name)
    if FileManager.default.isExecutableFile(atPath: own.path) { return own }
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.map { URL(fileURLWithPath: String($0)).appendingPathComponent(name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - name: One of the package's programs, or one on the path.
  ///   - arguments: Its arguments.
  ///   - environment: Variables beside the inherited ones.
  /// - Throws: What keeps it from starting.
  init(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    guard let path = Self.path(of: name) else { throw CocoaError(.fileNoSuchFile) }
    process.executableURL = path
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    let exited = exited
    process.terminationHandler = { _ in exited.signal() }
    try process.run()
    for (index, pipe) in [output, errors].enumerated() { collect(pipe.fileHandleForReading, index) }
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  private func collect(_ handle: FileHandle, _ index: Int) {
    readers.enter()
    let readers = readers
    Thread.detachNewThread { [weak self] in
      while true {
        let data = handle.availableData
        if data.isEmpty { break }
        self?.append(data, index)
      }
      readers.leave()
    }
  }

  private func append(_ data: Data, _ index: Int) {
    lock.withLock { collected[index].append(data) }
  }

  var pid: Int32 { process.processIdentifier }
  var isRunning: Bool { process.isRunning }

  /// What it has written so far.
  var outputText: String { lock.withLock { String(decoding: collected[0], as: UTF8.self) } }
  var errorText: String { lock.withLock { String(decoding: collected[1], as: UTF8.self) } }

  func write(_ text: String) { input.fileHandleForWriting.write(Data(text.utf8)) }

  func closeInput() { try? input.fileHandleForWriting.close() }

  func send(_ signal: Int32) { kill(pid, signal) }

  /// Waits for the end; all output has been read then.
  ///
  /// - Returns: The exit status; a signal's number below zero; `nil` when it still runs after the limit.
  func wait(seconds: Double = 120) -> Int32? {
    guard exited.wait(timeout: .now() + seconds) == .success else { return nil }
    exited.signal()
    _ = readers.wait(timeout: .now() + 5)
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  /// Waits until its output fulfils a condition.
  func waitFor(seconds: Double = 120, _ condition: (Program) -> Bool) -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    while !condition(self) {
      if Date() > end { return false }
      usleep(2000)
    }
    return true
  }

  /// Connects to a socket of the program once it listens there.
  func connect(_ socket: String) throws -> TestClient {
    var client: TestClient?
    guard
      waitFor({ program in
        client = try? TestClient(socket)
        return client != nil || !program.isRunning
      }), let client
    else { throw AgentFolder.AgentError(text: errorText) }
    return client
  }

  /// Runs a program to its end.
  static func run(
    _ name: String, _ arguments: [String], input: String = "", environment: [String: String] = [:]
  ) throws -> (status: Int32?, output: String, errors: String) {
    let program = try Program(name, arguments, environment: environment)
    program.write(input)
    program.closeInput()
    let status = program.wait()
    return (status, program.outputText, program.errorText)
  }
}
