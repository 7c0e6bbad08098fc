import EventLoop
import Glibc
import HTTPServer
import JSON
import RingiCore
import RingiTestSupport
import Sandbox
import Testing

@Suite(.timeLimit(.minutes(3))) struct DoctorTests {
  /// A check of an agent or a plugin.
  private func checks(_ rig: AgentRig, _ check: String, of plugin: String? = nil) throws -> [JSONValue] {
    let all = try rig.call("agent.doctor")["checks"]?.array.map(Array.init) ?? []
    return all.filter { $0["check"]?.string == check && $0["plugin"]?.string == plugin }
  }

  private func only(_ rig: AgentRig, _ check: String, of plugin: String? = nil) throws -> JSONValue {
    let found = try checks(rig, check, of: plugin)
    #expect(found.count == 1, "\(found)")
    return found.first ?? .null
  }

  @Test func anAgentThatIsWellHasNoProblem() async throws {
    let rig = try await AgentRig()
    // What is in the folder is everybody's to read otherwise, which is no matter here.
    let all = try rig.call("agent.doctor")["checks"]?.array.map(Array.init) ?? []
    #expect(all.allSatisfy { $0["status"] != "problem" }, "\(all)")
    let subjects = all.filter { $0["plugin"] == nil }.compactMap { $0["check"]?.string }
    #expect(subjects == ["configuration", "permissions", "disk", "clock"])
    let ofPlugin = all.filter { $0["plugin"] == "sap" }.compactMap { $0["check"]?.string }
    #expect(ofPlugin == ["state", "permissions", "reachability", "tls", "credentials", "clock"])
    let one = try rig.call("agent.doctor", ["plugins": ["sap"]])["checks"]?.array.map(Array.init) ?? []
    #expect(one.allSatisfy { $0["plugin"] == "sap" } && one.count == ofPlugin.count)
    #expect(try rig.error("agent.doctor", ["plugins": ["sup"]])["data"]?["kind"] == "not-found")
    try await rig.stop()
  }

  @Test func eachSectionIsToldAsSoonAsItIsThere() async throws {
    let rig = try await AgentRig()
    let client = try rig.client()
    let id = try client.ask("agent.doctor", ["progressToken": "t"])
    let told = try (0..<2).map { _ in try client.notification("$/progress")["value"] }
    #expect(Set(told.map { $0?["plugin"]?.string ?? "agent" }) == ["agent", "sap"])
    let checks = told.compactMap { $0?["checks"]?.array?.count }
    #expect(try client.response(to: id)["result"]?["checks"]?.array?.count == checks.reduce(0, +))
    try await rig.stop()
  }

  // MARK: Files

  @Test func aSecretThatEverybodyMayReadIsAProblemWithTheCommandThatMendsIt() async throws {
    let folder = try TemporaryFolder()
    try folder.write("password", "administer-9", mode: 0o600)
    chmod("\(folder.path)/password", 0o644)
    let rig = try await AgentRig(settings: ["password": ["file": .init("\(folder.path)/password")]])
    let finding = try only(rig, "permissions", of: "sap")
    #expect(finding["status"] == "problem")
    #expect(finding["advice"]?.string?.contains("chmod 0600 \(folder.path)/password") == true, "\(finding)")
    chmod("\(folder.path)/password", 0o640)
    #expect(try only(rig, "permissions", of: "sap")["status"] == "warning")
    chmod("\(folder.path)/password", 0o600)
    #expect(try only(rig, "permissions", of: "sap")["status"] == "ok")
    unlink("\(folder.path)/password")
    let gone = try only(rig, "credentials", of: "sap")
    #expect(gone["status"] == "problem" && gone["message"]?.string?.contains("No such file") == true, "\(gone)")
    #expect(
      gone["advice"]?.string?.contains("settings.password of \(rig.folder.path)/config/plugins.d/sap.json") == true)
    try await rig.stop()
  }

  @Test func aFileInWhichASecretStandsIsNotForOthersToRead() async throws {
    let rig = try await AgentRig(settings: ["password": "administer-9"])
    let file = "\(rig.folder.path)/config/plugins.d/sap.json"
    chmod(file, 0o600)
    #expect(try only(rig, "permissions", of: "sap")["status"] == "ok")
    chmod(file, 0o644)
    let finding = try only(rig, "permissions", of: "sap")
    #expect(finding["status"] == "problem" && finding["message"]?.string?.contains("a secret stands") == true)
    try await rig.stop()
  }

  @Test func aFolderInWhichEverybodyMayPutFilesIsAProblem() async throws {
    let rig = try await AgentRig()
    chmod(rig.folder.path, 0o777)
    let finding = try only(rig, "permissions", of: "sap")
    #expect(finding["status"] == "problem" && finding["message"]?.string?.contains("may replace what is in") == true)
    chmod(rig.folder.path, 0o1777)
    #expect(try only(rig, "permissions", of: "sap")["status"] == "ok")
    try await rig.stop()
  }

  @Test func whatOthersMayChangeIsAProblem() async throws {
    let rig = try await AgentRig()
    let path = rig.folder.path
    for (file, mode, mended, status) in [
      ("config", 0o777, "0755", "problem"), ("config/plugins.d", 0o775, "0755", "warning"),
      ("state", 0o755, "0700", "problem"), ("agent.sock", 0o666, "0600", "problem"),
    ] as [(String, mode_t, String, JSONValue)] {
      var before = stat()
      stat("\(path)/\(file)", &before)
      chmod("\(path)/\(file)", mode)
      let finding = try only(rig, "permissions")
      #expect(finding["status"] == status)
      #expect(finding["advice"]?.string?.contains("chmod \(mended) \(path)/\(file)") == true, "\(finding)")
      chmod("\(path)/\(file)", before.st_mode & 0o7777)
    }
    #expect(try only(rig, "permissions")["status"] == "ok")
    try await rig.stop()
  }

  @Test func aBrokenFileIsNamedWithItsLine() async throws {
    let rig = try await AgentRig(files: ["plugins.d/broken.json": "{\"provider\":\n"])
    let finding = try only(rig, "configuration")
    #expect(finding["status"] == "problem")
    #expect(finding["message"]?.string?.contains("plugins.d/broken.json:2:1: ") == true, "\(finding)")
    #expect(finding["advice"]?.string?.contains("ringi reload") == true)
    // A file that was good goes on as it was, and is spoken of where its instance is.
    try rig.folder.write("config/plugins.d/sap.json", "{")
    try rig.folder.write("config/plugins.d/broken.json", #"{"command": ["true"], "enabled": false}"#)
    try rig.call("agent.reload")
    #expect(try only(rig, "configuration")["status"] == "ok")
    #expect(try only(rig, "configuration", of: "sap")["status"] == "problem")
    #expect(try only(rig, "state", of: "broken")["status"] == "skipped")
    try await rig.stop()
  }

  @Test func aProgramThatIsNotThereIsSaid() async throws {
    let rig = try await AgentRig(files: [
      "plugins.d/one.json": #"{"command": ["./nowhere"]}"#,
      "plugins.d/two.json": #"{"command": ["no-such-program-anywhere"]}"#,
      "plugins.d/three.json": #"{"command": ["./three.json"]}"#,
      "plugins.d/four.json": #"{"library": "libnowhere.so"}"#,
    ])
    let path = "\(rig.folder.path)/config/plugins.d"
    #expect(try only(rig, "program", of: "one")["message"]?.string == "there is no \(path)/nowhere")
    #expect(try only(rig, "program", of: "two")["status"] == "problem")
    #expect(try only(rig, "program", of: "three")["advice"]?.string?.contains("chmod +x \(path)/three.json") == true)
    #expect(try only(rig, "program", of: "four")["message"]?.string == "there is no \(path)/libnowhere.so")
    #expect(try only(rig, "state", of: "one")["status"] == "problem")
    try await rig.stop()
  }

  // MARK: Backends

  @Test func aBackendThatIsDownIsToldByPollAndCheck() async throws {
    let rig = try await AgentRig(backendIsDown: true)
    _ = try rig.client().refusal("tasks.refresh")
    #expect(try only(rig, "polls", of: "sap")["message"]?.string?.contains("Connection refused") == true)
    #expect(try only(rig, "reachability", of: "sap")["status"] == "problem")
    #expect(try only(rig, "credentials", of: "sap")["status"] == "skipped")
    try await rig.stop()
  }

  @Test func aCertificateThatNobodyVouchesForIsToldWithTheSetting() async throws {
    let tls = LoopbackServer.TLS(certificate: TestCertificate.certificate, key: TestCertificate.key)
    let rig = try await AgentRig(tls: tls)
    let finding = try only(rig, "tls", of: "sap")
    #expect(finding["status"] == "problem" && finding["advice"]?.string?.contains("authorityFile") == true)
    try await rig.stop()
  }

  @Test func noSecretIsInWhatItSays() async throws {
    let rig = try await AgentRig(settings: ["password": "wrong-but-secret"])
    _ = try rig.client().refusal("tasks.refresh")
    let result = try rig.call("agent.doctor")
    #expect(try only(rig, "credentials", of: "sap")["message"]?.string?.hasPrefix("refused before") == true)
    #expect(!result.description.contains("wrong-but-secret"))
    try await rig.stop()
  }
}
