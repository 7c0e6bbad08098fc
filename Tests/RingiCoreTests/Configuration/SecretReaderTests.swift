import EventLoop
import Glibc
import JSON
import RingiKit
import RingiTestSupport
import Testing
import Timing

@testable import RingiCore

@Suite(.timeLimit(.minutes(5))) struct SecretReaderTests {
  private static let value = "s3cr3t/Pä+ß="

  @Test func aSecretIsFoundWhereItIsKept() async throws {
    let folder = try TemporaryFolder()
    try folder.write("file", "\(Self.value)\n")
    try folder.write("windows", "\(Self.value)\r\n")
    try folder.write("two", "\(Self.value)\n\n")
    let settings: [(JSONValue, String)] = [
      (JSONValue(Self.value), Self.value), (["env": "SAP"], Self.value), (["file": "file"], Self.value),
      (["file": JSONValue("\(folder.path)/windows")], Self.value), (["file": "two"], "\(Self.value)\n"),
      (["credential": "file"], Self.value), (["command": ["cat", "file"]], Self.value),
      (["command": ["sh", "-c", "printf %s \"$SAP\"; echo noise >&2"]], Self.value),
    ]
    try await onLoop {
      for (setting, value) in settings {
        let (reader, redactor) = Self.reader(folder)
        let secret = try #require(Secret(setting))
        #expect(try await reader.read(secret, in: folder.path) == value)
        #expect(redactor.redact("<\(value)>") == "<\(Redactor.mark)>")
      }
    }
  }

  @Test func whatIsMissingOrUnfitIsNamedAndNeverShown() async throws {
    let folder = try TemporaryFolder()
    try folder.write("empty", "\n")
    try folder.write("long", String(repeating: "x", count: SecretReader.maxBytes + 1))
    #expect(mkfifo("\(folder.path)/fifo", 0o600) == 0)
    let settings: [(JSONValue, SecretError.Reason, String)] = [
      ("", .empty, "settings"), (["env": "NOT_SET"], .notSet, "NOT_SET"),
      (["file": "nowhere"], .unreadable(SystemError(ENOENT, "open")), "nowhere"), (["file": "empty"], .empty, "empty"),
      (["file": "long"], .tooLong, "long"), (["file": "fifo"], .notAFile, "fifo"), (["file": "."], .notAFile, "."),
      (["credential": "../secrets/x"], .notAName, "../secrets/x"),
      (["command": ["sh", "-c", "echo \(Self.value); exit 3"]], .ended(.exited(3)), "sh"),
      (["command": ["printf", "\\377"]], .notText, "printf"), (["command": ["true"]], .empty, "true"),
      (["command": ["head", "-c", "70000", "/dev/zero"]], .tooLong, "head"),
    ]
    try await onLoop {
      for (setting, reason, place) in settings {
        let (reader, _) = Self.reader(folder)
        let secret = try #require(Secret(setting))
        let error = await #expect(throws: SecretError.self) { try await reader.read(secret, in: folder.path) }
        #expect(error?.reason == reason)
        let message = error?.description ?? ""
        #expect(message.contains(place))
        #expect(!message.contains(Self.value))
        #expect(message.hasSuffix(".") && !message.hasSuffix(".."))
      }
    }
  }

  @Test func aMissingCommandIsNamed() async throws {
    let folder = try TemporaryFolder()
    try await onLoop {
      let secret = try #require(Secret(["command": ["ringi-no-such-command"]]))
      let error = await #expect(throws: SecretError.self) {
        try await Self.reader(folder).0.read(secret, in: folder.path)
      }
      #expect(error?.description.contains("ringi-no-such-command was not found in PATH") == true)
    }
  }

  @Test func aCommandThatHangsIsEnded() async throws {
    let folder = try TemporaryFolder()
    try await onLoop {
      let clock = TestClock()
      let reader = SecretReader(environment: Self.environment(folder), clock: clock, redactor: Redactor())
      let secret = try #require(Secret(["command": ["sleep", "600"]]))
      let task = Loop.task { try await reader.read(secret, in: folder.path) }
      try await clock.sleepers(1)
      clock.advance(by: SecretReader.timeout)
      let error = await #expect(throws: SecretError.self) { try await task.value }
      #expect(error?.reason == .timeout)
    }
  }

  private static func environment(_ folder: TemporaryFolder) -> [String: String] {
    ["SAP": value, "CREDENTIALS_DIRECTORY": folder.path, "PATH": getenv("PATH").map { String(cString: $0) } ?? ""]
  }

  @Loop private static func reader(_ folder: TemporaryFolder) -> (SecretReader, Redactor) {
    let redactor = Redactor()
    return (SecretReader(environment: environment(folder), clock: TestClock(), redactor: redactor), redactor)
  }
}
