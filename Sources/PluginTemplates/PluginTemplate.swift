/// A plugin to start from: a task source with a method, an event and a test, in one language.
package struct PluginTemplate: Sendable {
  /// A file of it.
  package struct File: Sendable {
    package let name: String
    package let bytes: [UInt8]
    package let isExecutable: Bool
  }

  package let language: String
  /// What has to be installed for it.
  package let needs: String
  /// The members of its plugins.d file that say what runs.
  private let origin: String
  /// The files of its own folder, with a placeholder for its name.
  private let files: [(name: String, bytes: [UInt8])]
  /// How it is tested, from its folder.
  private let test: String

  /// What stands for the plugin's name in templates.
  private static let placeholder = Array("@NAME@".utf8)

  /// The languages that there are templates for.
  package static let all = [python, sh, node, swift, c]

  private static let python = PluginTemplate(
    language: "python", needs: "python3 (3.9 or newer)", origin: #""command": ["python3", "@NAME@/plugin.py"]"#,
    files: [
      ("plugin.py", PackageResources.python_plugin_py), ("ringi_plugin.py", PackageResources.ringi_plugin_py),
      ("test.py", PackageResources.python_test_py),
    ], test: "test.py")

  private static let sh = PluginTemplate(
    language: "sh", needs: "jq", origin: #""command": ["sh", "@NAME@/plugin.sh"]"#,
    files: [("plugin.sh", PackageResources.sh_plugin_sh), ("test.sh", PackageResources.sh_test_sh)], test: "test.sh")

  private static let node = PluginTemplate(
    language: "node", needs: "node (18 or newer)", origin: #""command": ["node", "@NAME@/plugin.mjs"]"#,
    files: [("plugin.mjs", PackageResources.node_plugin_mjs), ("test.mjs", PackageResources.node_test_mjs)],
    test: "test.mjs")

  private static let swift = PluginTemplate(
    language: "swift", needs: "swiftc (6.3 or newer) and libjansson-dev", origin: #""library": "@NAME@/plugin.so""#,
    files: [
      ("plugin.swift", PackageResources.swift_plugin_swift), ("RingiPlugin.swift", PackageResources.RingiPlugin_swift),
      ("ringi_plugin.h", PackageResources.ringi_plugin_h),
      ("module.modulemap", PackageResources.swift_module_modulemap), ("build.sh", PackageResources.swift_build_sh),
      ("test.sh", PackageResources.swift_test_sh),
    ], test: "test.sh")

  private static let c = PluginTemplate(
    language: "c", needs: "cc and libjansson-dev", origin: #""library": "@NAME@/plugin.so""#,
    files: [
      ("plugin.c", PackageResources.c_plugin_c), ("ringi_plugin.h", PackageResources.ringi_plugin_h),
      ("build.sh", PackageResources.c_build_sh), ("test.c", PackageResources.c_test_c),
      ("test.sh", PackageResources.c_test_sh),
    ], test: "test.sh")

  /// The file of plugins.d.
  package func configuration(named name: String) -> File {
    let text = "{ \(origin),\n  \"settings\": {},\n  \"poll\": {\"every\": \"10s\"} }\n"
    return File(name: "\(name).json", bytes: Self.fill(Array(text.utf8), name), isExecutable: false)
  }

  /// The files of the plugin's own folder.
  package func files(named name: String) -> [File] {
    files.map { file in
      File(
        name: file.name, bytes: Self.fill(file.bytes, name), isExecutable: file.bytes.starts(with: Array("#!".utf8)))
    }
  }

  /// Whether its test builds it first.
  package var isBuilt: Bool { files.contains { $0.name == "build.sh" } }

  /// The test's path, from the folder of the plugins.d file.
  package func test(named name: String) -> String { "\(name)/\(test)" }

  private static func fill(_ bytes: [UInt8], _ name: String) -> [UInt8] {
    bytes.split(separator: placeholder, omittingEmptySubsequences: false).joined(separator: Array(name.utf8)).map { $0 }
  }
}
