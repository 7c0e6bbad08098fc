internal import EventLoop
internal import JSON
internal import JSONRPC
internal import RingiKit

extension Agent {
  /// Checks the agent and its plugins.
  ///
  /// - Parameters:
  ///   - names: The instances; nil for all of them and the agent itself.
  ///   - call: Hears of each section as soon as it is done.
  /// - Returns: `{checks}`.
  /// - Throws: `RPCError` (not-found) for a name that no instance has.
  func examine(_ names: [String]?, _ call: Call) async throws -> JSONValue {
    let entries =
      try names.map { try $0.map(plugins.entry) }
      ?? plugins.entries.values.sorted { $0.file.instance < $1.file.instance }
    let sections =
      (names == nil ? [section] : []) + entries.map { plugins.section(of: $0, doctor, configurationProblems) }
    return await doctor.examine(sections) { call.progress($0) }
  }

  /// The checks of the agent itself.
  private var section: Doctor.Section {
    let (doctor, clock) = (doctor, clock)
    let (directory, trouble) = (options.stateDirectory, store.trouble)
    let rules = fileRules
    let stateRule = FileModes.Rule(directory, "the state directory", forbidden: 0o077)
    let sockets = server.addresses.map { ($0.path, $0.mode) }
    return Doctor.Section(
      plugin: nil,
      checks: [
        Doctor.Check(.configuration) { [unowned self] _ in configurationFindings + stateFindings },
        Doctor.Check(.permissions) { limit in
          let files = await doctor.files.perform(within: limit / 2, clock) {
            FileModes.check(rules) + sockets.flatMap { FileModes.check(socket: $0, mode: $1) }
          }
          guard let files else { return [Finding.hung(.permissions, rules[0].path)] }
          // When that disk does not answer, its own check says so.
          let state = await doctor.disk.perform(within: limit / 2, clock) { FileModes.check([stateRule]) }
          let found = files + (state ?? [])
          return found.isEmpty
            ? [Finding(.permissions, .ok, "nobody else may change the configuration, or enter the state directory")]
            : found
        },
        Doctor.Check(.disk) { limit in
          if let trouble {
            return [Finding(.disk, .problem, trouble.fault, advice: "\(trouble.advice) \(StoreTrouble.consequence)")]
          }
          return await doctor.disk.perform(within: limit, clock) { StateDisk.check(directory) }
            ?? [Finding.hung(.disk, directory)]
        },
        Doctor.Check(.clock) { _ in [SystemTime.check(clock.now)] },
      ])
  }

  private var fileRules: [FileModes.Rule] {
    let folder = options.configDirectory
    let files =
      ["ringi.json"] + configuration.jobs.map { "jobs.d/\($0.name).json" }
      + configuration.hooks.map { "hooks.d/\($0.name).json" }
    return [FileModes.Rule(folder, "the configuration")]
      + ["plugins.d", "jobs.d", "hooks.d"].map { FileModes.Rule("\(folder)/\($0)", "a folder of the configuration") }
      + files.map { FileModes.Rule("\(folder)/\($0)", "a file of the configuration") }
  }

  // MARK: What is known already

  /// What is wrong with the files, those of the plugins left to the plugins' own sections.
  private var configurationFindings: [Finding] {
    let own = Set(plugins.entries.values.map(\.file.path))
    let found = configurationProblems.filter { !own.contains($0.file) }.map(Finding.init)
    return found.isEmpty
      ? [Finding(.configuration, .ok, "all files in \(options.configDirectory) can be used")] : found
  }

  /// What else agent.status calls a problem.
  private var stateFindings: [Finding] {
    problems.sentences(prefixes: "listen").map {
      Finding(.state, .problem, $0, advice: "Correct listen in ringi.json, then `ringi reload`.")
    }
      + problems.sentences(without: "config:", "plugin:", "store", "listen").map {
        Finding(.state, .warning, $0, advice: "`ringi status` and the log tell more.")
      }
      + problems.sentences(prefixes: "store/").map {
        Finding(.state, .warning, $0, advice: "Look at what was set aside, and delete it when nobody needs it.")
      }
  }
}

extension Finding {
  /// Something that is wrong with a file of the configuration.
  init(_ problem: ConfigurationProblem) {
    self.init(
      .configuration, problem.isWarning ? .warning : .problem,
      "\(problem.file):\(problem.line):\(problem.column): \(problem.message)",
      advice: "Correct the file, then `ringi reload`.")
  }

  /// A file system that keeps who asks waiting.
  static func hung(_ subject: Subject, _ path: String) -> Finding {
    Finding(
      subject, .problem, "the file system of \(path) does not answer",
      advice: "See to its disk, or to the server that it comes from: `mount` shows it.")
  }
}
