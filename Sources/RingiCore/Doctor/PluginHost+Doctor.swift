internal import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
internal import RingiKit
internal import Timing

/// The checks of an instance.
extension PluginHost {
  /// The checks of an instance: its file, its state, its files and secrets, and its backend.
  ///
  /// - Parameters:
  ///   - entry: The instance.
  ///   - doctor: Has the threads for files.
  ///   - problems: What is wrong with the configuration.
  /// - Returns: The checks; none has begun.
  func section(of entry: Entry, _ doctor: Doctor, _ problems: [ConfigurationProblem]) -> Doctor.Section {
    let file = entry.file
    let own = (entry.started?.problems ?? []).filter { !problems.contains($0) }
    let wrong = (problems.filter { $0.file == file.path } + own).map(Finding.init)
    guard file.isEnabled else {
      let state = Finding(.state, .skipped, "it is disabled, by enabled in \(file.path)")
      return Doctor.Section(plugin: file.instance, checks: [Doctor.Check(.state) { _ in [state] + wrong }])
    }
    let (clock, secrets) = (parts.clock, secrets(of: entry))
    let rules = [rule(file, secrets)] + secrets.flatMap { self.rules($0, file) }
    let program = program(of: file)
    return Doctor.Section(
      plugin: file.instance,
      checks: [
        Doctor.Check(.state) { [unowned self] _ in wrong + state(of: entry) },
        Doctor.Check(.permissions) { limit in
          let found = await doctor.files.perform(within: limit, clock) {
            (FileModes.check(rules), program?())
          }
          guard let (breaches, program) = found else { return [.hung(.permissions, file.path)] }
          let sound = Finding(.permissions, .ok, "nobody else may change its file, or read its secrets")
          return (breaches.isEmpty ? [sound] : breaches) + [program].compactMap(\.self)
        },
        Doctor.Check(.reachability) { [unowned self] limit in await backend(of: entry, secrets, within: limit) },
      ])
  }

  // MARK: State

  private func state(of entry: Entry) -> [Finding] {
    let (supervisor, instance) = (entry.started?.supervisor, entry.file.instance)
    let error = supervisor?.lastError ?? entry.error.map { "\($0)" } ?? "why is in its log"
    let logs = "`ringi plugins logs \(instance)` shows what it said"
    switch supervisor?.state ?? entry.state {
    case .running:
      return [Finding(.state, .ok, "it runs")] + polls(of: instance)
    case .starting:
      return [Finding(.state, .warning, "it is being started", advice: "Look again soon; \(logs).")]
    case .backoff:
      return [Finding(.state, .problem, "it is down, and is started again soon: \(error)", advice: "\(logs).")]
    case .failed, .disabled:
      return [
        Finding(
          .state, .problem, "it has failed: \(error)",
          advice:
            "Mend that in \(entry.file.path); then `ringi reload`, or `ringi plugins restart \(instance)`. \(logs).")
      ]
    }
  }

  private func polls(of instance: String) -> [Finding] {
    guard let failure = parts.inbox.failure(of: instance) else { return [] }
    let message = failure.message.replacing("\(instance): ", with: "", maxReplacements: 1)
    return [
      Finding(
        .polls, .problem, "the last poll failed: \(message)",
        advice: "What is found below may tell why; once it is mended, `ringi refresh \(instance)`.")
    ]
  }

  // MARK: Files and secrets

  /// A secret of the settings, and where it stands there.
  private typealias PlacedSecret = (place: JSONPointer, secret: Secret)

  private func secrets(of entry: Entry) -> [PlacedSecret] {
    let builtin = providers.first { entry.file.kind == .builtin && $0.name == entry.file.provider }
    guard let schema = builtin?.settings ?? entry.started?.manifest?.settingsSchema else { return [] }
    let settings = entry.file.settings
    return Set(SecretPlaces.find(in: settings, schema.json)).sorted { $0.description < $1.description }
      .compactMap { place in settings[pointer: place].flatMap { Secret($0) }.map { (place, $0) } }
  }

  /// A file in which a secret itself stands is not for others to read.
  private func rule(_ file: PluginFile, _ secrets: [PlacedSecret]) -> FileModes.Rule {
    let holdsSecret = secrets.contains { if case .value = $0.secret.origin { true } else { false } }
    return holdsSecret
      ? FileModes.Rule(file.path, "the plugin's file, in which a secret stands,", forbidden: 0o066, doubtful: 0o040)
      : FileModes.Rule(file.path, "the plugin's file")
  }

  private func rules(_ placed: PlacedSecret, _ file: PluginFile) -> [FileModes.Rule] {
    let what = "the secret \(placed.place.tokens.last ?? "")"
    switch placed.secret.origin {
    case .file(let path):
      let path = path.hasPrefix("/") ? path : "\(file.directory)/\(path)"
      return [FileModes.Rule(path, what, forbidden: 0o066, doubtful: 0o040)]
    case .value, .environment, .command, .credential: return []
    }
  }

  /// Looks for the program or the library; nil where there is none.
  private func program(of file: PluginFile) -> (@Sendable () -> Finding)? {
    if let library = file.library {
      return {
        FileModes.check(program: [library.path], R_OK, advice: "Build it, or correct library in \(file.path).")
      }
    }
    guard let name = file.program?.command.first else { return nil }
    let advice = "Install it, or correct command in \(file.path)."
    guard !name.contains("/") else {
      let path =
        name.hasPrefix("/") ? name : "\(file.directory)/\(name.hasPrefix("./") ? name.dropFirst(2) : name[...])"
      return { FileModes.check(program: [path], X_OK, advice: advice) }
    }
    let folders = (parts.environment["PATH"] ?? "/bin:/usr/bin").split(separator: ":")
    return { FileModes.check(program: folders.map { "\($0)/\(name)" }, X_OK, advice: advice) }
  }

  // MARK: The backend

  private func backend(of entry: Entry, _ secrets: [PlacedSecret], within limit: Duration) async -> [Finding] {
    let began = parts.clock.uptime
    let unreadable = await unreadable(secrets, entry.file, within: limit / 2)
    let left = limit - .nanoseconds(parts.clock.uptime - began)
    var found: [Finding] = []
    if let checkup = (entry.plugin as? BuiltinPlugin)?.checkup {
      found = await checkup.findings(file: entry.file.path, within: left)
    } else if let plugin = entry.plugin as? ProcessPlugin, plugin.supervisor.state == .running {
      found = await ping(plugin, within: limit)
    }
    // What is wrong with the credentials follows from that.
    if !unreadable.isEmpty { found.removeAll { $0.subject == .credentials } }
    return unreadable + found
  }

  /// The secrets that can't be read; side by side, so that one that hangs takes no time from the others.
  private func unreadable(_ secrets: [PlacedSecret], _ file: PluginFile, within limit: Duration) async -> [Finding] {
    let reads = secrets.map { secret in Loop.task { [self] in await unreadable(secret, file, within: limit) } }
    return await withTaskCancellationHandler {
      var found: [Finding] = []
      for read in reads { if let finding = try? await read.value { found.append(finding) } }
      return found
    } onCancel: {
      for read in reads { read.cancel() }
    }
  }

  private func unreadable(_ secret: PlacedSecret, _ file: PluginFile, within limit: Duration) async -> Finding? {
    let (reader, place) = (parts.secrets, secret.place.tokens.joined(separator: "."))
    do {
      _ = try await parts.clock.withTimeout(limit) { try await reader.read(secret.secret, in: file.directory) }
      return nil
    } catch {
      let why = error is TimeoutError ? "\(secret.secret) took longer than \(DurationText.format(limit))" : "\(error)"
      let advice =
        if case .environment(let name) = secret.secret.origin {
          "Start ringid with \(name) in its environment, or correct settings.\(place) of \(file.path)."
        } else {
          "Put the secret there, or correct settings.\(place) of \(file.path)."
        }
      return Finding(.credentials, .problem, "\(place): \(why)", advice: advice)
    }
  }

  /// Whether a server of the Model Context Protocol answers.
  private func ping(_ plugin: ProcessPlugin, within limit: Duration) async -> [Finding] {
    guard let session = plugin.session else { return [] }
    let began = parts.clock.uptime
    do {
      try await parts.clock.withTimeout(limit) { try await session.ping() }
      let time = Duration.nanoseconds(parts.clock.uptime - began)
      return [Finding(.reachability, .ok, "it answers a ping (\(DurationText.format(max(time, .milliseconds(1)))))")]
    } catch {
      let why = (error as? RPCError)?.message ?? "no answer within \(DurationText.format(limit))"
      return [
        Finding(
          .reachability, .problem, "it answers no ping: \(why)",
          advice:
            "`ringi plugins logs \(plugin.instance)` shows what it said; `ringi plugins restart \(plugin.instance)`.")
      ]
    }
  }
}
