internal import EventLoop
internal import Glibc
internal import JSON
package import RingiKit

/// All that a configuration folder says.
package struct Configuration: Equatable, Sendable {
  package var agent = AgentFile()
  /// In the order of their files' names, as all lists here.
  package var plugins: [PluginFile] = []
  package var jobs: [JobFile] = []
  package var hooks: [Hook] = []

  package init() {}

  /// A configuration as read, with everything that is wrong with it.
  package struct Reading: Sendable {
    package var configuration = Configuration()
    package var files: [ConfigurationFile] = []
    /// Problems between files.
    package var conflicts: [ConfigurationProblem] = []

    package var problems: [ConfigurationProblem] { files.flatMap(\.problems) + conflicts }

    package func file(_ path: String) -> ConfigurationFile? { files.first { $0.path == path } }
  }

  /// Reads a folder; a bad file never stops the others.
  ///
  /// - Parameters:
  ///   - directory: The folder; what is not in it is not configured.
  ///   - providers: The built-in providers, whose schemas the settings are checked against.
  /// - Returns: What could be read, and what is wrong.
  package static func read(directory: String, providers: [any Provider.Type]) -> Reading {
    var reading = Reading()
    let schemas = Dictionary(providers.map { ($0.name, $0.settings) }, uniquingKeysWith: { first, _ in first })
    if access("\(directory)/ringi.json", F_OK) == 0 {
      each([("\(directory)/ringi.json")], &reading) { reading, file in
        if let agent = AgentFile(&file) { reading.configuration.agent = agent }
      }
    }
    each(list("\(directory)/plugins.d", &reading), &reading) { reading, file in
      if let plugin = PluginFile(&file, providers: schemas) { reading.add(plugin, &file) }
    }
    each(list("\(directory)/jobs.d", &reading), &reading) { reading, file in
      if let job = JobFile(&file) { reading.configuration.jobs.append(job) }
    }
    each(list("\(directory)/hooks.d", &reading), &reading) { reading, file in
      if let hook = HookFile.read(&file) { reading.configuration.hooks.append(hook) }
    }
    return reading
  }

  private static func each(
    _ paths: [String], _ reading: inout Reading, _ body: (inout Reading, inout ConfigurationFile) -> Void
  ) {
    for path in paths {
      var file = ConfigurationFile(path: path)
      body(&reading, &file)
      reading.files.append(file)
    }
  }

  /// The files of a folder that count, in the order of their names.
  private static func list(_ folder: String, _ reading: inout Reading) -> [String] {
    guard let directory = opendir(folder) else {
      if errno != ENOENT {
        reading.conflicts.append(ConfigurationProblem(file: folder, message: "\(SystemError.last("can't be read"))"))
      }
      return []
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      // Editors leave hidden and half-written files behind.
      if name.hasSuffix(".json"), !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted().map { "\(folder)/\($0)" }
  }

  /// This configuration, with what an older one said wherever a file of this one is not usable.
  package func keeping(_ old: Configuration, where reading: Reading) -> Configuration {
    let broken = Set(reading.files.filter { !$0.isUsable }.map(\.path))
    var merged = self
    merged.plugins += old.plugins.filter { kept in
      broken.contains(kept.path) && !merged.plugins.contains { $0.instance == kept.instance }
    }
    merged.jobs += old.jobs.filter { broken.contains($0.path) }
    merged.hooks += old.hooks.filter { hook in broken.contains { $0.hasSuffix("/hooks.d/\(hook.name).json") } }
    if broken.contains(where: { $0.hasSuffix("/ringi.json") }) { merged.agent = old.agent }
    return merged
  }
}

extension Configuration.Reading {
  /// The first file that claims an instance name keeps it.
  fileprivate mutating func add(_ plugin: PluginFile, _ file: inout ConfigurationFile) {
    if let first = configuration.plugins.first(where: { $0.instance == plugin.instance }) {
      let pointer = file.value["name"] == nil ? JSONPointer.root : JSONPointer.root.appending("name")
      file.complain(
        at: pointer, "the instance name \"\(plugin.instance)\" belongs to \(first.path) already; choose another")
    } else {
      configuration.plugins.append(plugin)
    }
  }
}
