import Glibc
import RingiCore
import RingiTestSupport
import Testing

@Suite struct UnixSocketTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func listen(_ path: String, mode: UInt32 = 0o600, group: String? = nil) throws -> CInt {
    try UnixSocket.listen(path, mode: mode, group: group)
  }

  private func permissions(_ path: String) -> UInt32 {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  /// A path in the folder with just so many bytes.
  private func path(ofBytes count: Int, _ unit: String = "x") -> String {
    let base = folder.path + "/"
    let rest = count - base.utf8.count
    let units = rest / unit.utf8.count
    return base + String(repeating: "y", count: rest - units * unit.utf8.count) + String(repeating: unit, count: units)
  }

  // MARK: The file

  @Test(arguments: [0o600, 0o660, 0o666] as [UInt32])
  func theFileHasThePermissionsAskedFor(mode: UInt32) throws {
    let path = folder.path + "/a.sock"
    let socket = try listen(path, mode: mode)
    defer { close(socket) }
    #expect(permissions(path) == mode)
  }

  @Test func missingFoldersAreMadeForTheirOwnerAlone() throws {
    let socket = try listen(folder.path + "/a/b/c.sock")
    defer { close(socket) }
    #expect(permissions(folder.path + "/a") == 0o700)
    #expect(permissions(folder.path + "/a/b") == 0o700)
  }

  @Test func aFolderThatIsThereKeepsItsPermissions() throws {
    #expect(mkdir(folder.path + "/a", 0o755) == 0)
    chmod(folder.path + "/a", 0o755)
    let socket = try listen(folder.path + "/a/c.sock")
    defer { close(socket) }
    #expect(permissions(folder.path + "/a") == 0o755)
  }

  @Test func theFileGoesToTheGroupAskedFor() throws {
    let name = try #require(getgrgid(getgid()).map { String(cString: $0.pointee.gr_name) })
    let path = folder.path + "/a.sock"
    let socket = try listen(path, mode: 0o660, group: name)
    defer { close(socket) }
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_gid == getgid())
  }

  @Test func anUnknownGroupIsNamed() {
    #expect(throws: UnixSocket.BindError.unknownGroup("no-such-group")) {
      try listen(folder.path + "/a.sock", group: "no-such-group")
    }
  }

  // MARK: What is there already

  @Test func theFileOfADeadAgentIsReplaced() throws {
    let path = folder.path + "/a.sock"
    close(try listen(path))
    let socket = try listen(path)
    defer { close(socket) }
    close(try UnixSocket.connect(path))
  }

  @Test func aLiveAgentsSocketIsRefusedAndGoesOn() throws {
    let path = folder.path + "/a.sock"
    let socket = try listen(path)
    defer { close(socket) }
    #expect(throws: UnixSocket.BindError.inUse(path)) { try listen(path) }
    close(try UnixSocket.connect(path))
  }

  @Test func whatIsNoSocketIsLeftAlone() throws {
    try folder.write("a.sock", "precious")
    let path = folder.path + "/a.sock"
    #expect(throws: UnixSocket.BindError.notASocket(path)) { try listen(path) }
    #expect(folder.read("a.sock") == "precious")
  }

  // MARK: Lengths

  @Test func aPathOf107BytesIsTheLongest() throws {
    let longest = path(ofBytes: 107)
    let socket = try listen(longest)
    defer { close(socket) }
    close(try UnixSocket.connect(longest))
    #expect(UnixSocket.boundPath(of: socket) == longest)
  }

  @Test(arguments: [("x", 108), ("x", 200), ("稟", 120)])
  func aLongerPathIsRefusedWithItsLengthInBytesAndTheLimit(unit: String, count: Int) throws {
    let path = path(ofBytes: count, unit)
    let error = #expect(throws: UnixSocket.BindError.self) { try listen(path) }
    #expect(error == .pathTooLong(path))
    let message = try #require(error).description
    #expect(message.contains("\(count) bytes") && message.contains("107"), "\(message)")
  }

  @Test func aPathOfCharactersWithSeveralBytesIsTakenWhole() throws {
    let path = path(ofBytes: 106, "稟")
    let socket = try listen(path)
    defer { close(socket) }
    #expect(permissions(path) == 0o600)
    close(try UnixSocket.connect(path))
  }
}
