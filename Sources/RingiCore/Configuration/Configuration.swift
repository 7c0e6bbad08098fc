internal import JSON
internal import RingiModel
package import RingiKit

/// All that a configuration folder says.
package struct Configuration: Equatable, Sendable {
  package var agent = AgentFile()
  /// In the order of their files' names, as all lists here.
  package var plugins: [PluginFile] = []
  package var jobs: [JobFile] = []
  package var hooks: [Hook] = []

  package init() {}

  /// Reads a folder; a bad file never stops the others.
  ///
  /// - Parameters:
  ///   - directory: The folder; what is not in it is not configured.
  ///   - providers: The built-in providers, whose schemas the settings are checked against.
  /// - Returns: What could be read, and everything that is wrong.
  package static func read(directory: String, providers: [any Provider.Type]) -> Reading {
    Reading(ConfigurationFolder(directory), providers)
  }

  /// A configuration as read, with everything that is wrong with it.
  package struct Reading: Sendable {
    package private(set) var configuration = Configuration()
    private var agentFile: ConfigurationFile?
    private var pluginFiles: [ConfigurationFile] = []
    private var jobFiles: [ConfigurationFile] = []
    private var hookFiles: [ConfigurationFile] = []
    /// The folder and the three in it, as far as something is wrong with them.
    private let folderProblems: [ConfigurationProblem]
    /// What may be there and could not be looked at.
    private let unseen: Set<String>

    fileprivate init(_ folder: ConfigurationFolder, _ providers: [any Provider.Type]) {
      let schemas = Dictionary(providers.map { ($0.name, $0.settings) }, uniquingKeysWith: { first, _ in first })
      var folder = folder
      let lists = ["plugins.d", "jobs.d", "hooks.d"].map { folder.files(in: $0) }
      agentFile = folder.agentFile()
      (folderProblems, unseen) = (folder.problems, folder.unseen)
      if var file = agentFile {
        if let agent = AgentFile(&file) { configuration.agent = agent }
        agentFile = file
      }
      for var file in lists[0] {
        if let plugin = PluginFile(&file, providers: schemas), isClaimed(plugin, &file) {
          configuration.plugins.append(plugin)
        }
        pluginFiles.append(file)
      }
      for var file in lists[1] {
        if let job = JobFile(&file) { configuration.jobs.append(job) }
        jobFiles.append(file)
      }
      for var file in lists[2] {
        if let hook = HookFile.read(&file) { configuration.hooks.append(hook) }
        hookFiles.append(file)
      }
    }

    /// The first file that claims an instance name keeps it.
    private func isClaimed(_ plugin: PluginFile, _ file: inout ConfigurationFile) -> Bool {
      guard let first = configuration.plugins.first(where: { $0.instance == plugin.instance }) else { return true }
      file.complain(
        at: InstanceName.place(in: file),
        "the instance name \(JSONValue(plugin.instance)) belongs to \(first.path) already; choose another")
      return false
    }

    /// Every file that was read.
    package var files: [ConfigurationFile] { (agentFile.map { [$0] } ?? []) + pluginFiles + jobFiles + hookFiles }

    package func file(_ path: String) -> ConfigurationFile? { files.first { $0.path == path } }

    /// Everything that is wrong, file by file, from the first line to the last.
    package var problems: [ConfigurationProblem] {
      folderProblems + files.flatMap { $0.problems.sorted { ($0.line, $0.column) < ($1.line, $1.column) } }
    }

    /// The names that files of plugins.d claim, usable or not.
    var instanceNames: Set<String> { Set(pluginFiles.map { $0.value["name"]?.string ?? $0.name }) }
  }
}

extension Configuration.Reading {
  /// What was read, with what an older configuration said wherever a file is not usable now.
  package func keeping(_ old: Configuration) -> Configuration {
    var merged = configuration
    if agentFile?.isUsable == false || unseen.contains("ringi.json") { merged.agent = old.agent }
    let plugins = kept(pluginFiles, "plugins.d")
    merged.plugins += old.plugins.filter { plugin in
      // What the file calls itself now may be the name of another.
      plugins(plugin.fileName) && !configuration.plugins.contains { $0.instance == plugin.instance }
    }
    let jobs = kept(jobFiles, "jobs.d")
    merged.jobs += old.jobs.filter { jobs($0.name) }
    let hooks = kept(hookFiles, "hooks.d")
    merged.hooks += old.hooks.filter { hooks($0.name) }
    merged.plugins.sort { $0.path < $1.path }
    merged.jobs.sort { $0.name < $1.name }
    merged.hooks.sort { $0.name < $1.name }
    return merged
  }

  /// Whether a job that is not there may be meant by a file that can't be used now.
  package func mayMean(job name: String) -> Bool {
    guard name.hasPrefix(PluginHost.pollPrefix) else { return kept(jobFiles, "jobs.d")(name) }
    // An instance need not be called what its file is.
    return unseen.contains("plugins.d") || pluginFiles.contains { !$0.isUsable }
      || instanceNames.contains(String(name.dropFirst(PluginHost.pollPrefix.count)))
  }

  /// Whether a hook that is not there may be meant by a file that can't be used now.
  package func mayMean(hook name: String) -> Bool { kept(hookFiles, "hooks.d")(name) }

  /// Whether what a file said before stays in force: it is not usable now, or could not be looked at.
  private func kept(_ files: [ConfigurationFile], _ folder: String) -> (String) -> Bool {
    if unseen.contains(folder) { return { _ in true } }
    let broken = Set(files.filter { !$0.isUsable }.map(\.name))
    return { broken.contains($0) }
  }
}

extension PluginFile {
  /// The file's name without its ending.
  fileprivate var fileName: String { String(path.dropFirst(directory.count + 1).dropLast(5)) }
}
