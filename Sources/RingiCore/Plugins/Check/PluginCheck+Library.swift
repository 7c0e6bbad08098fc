internal import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
internal import NativeLibrary
internal import RingiKit

/// A plugin that is a library, in this process as in the agent's.
extension PluginCheck {
  private static let grace = Duration.seconds(10)

  func check(_ library: PluginLibrary) async {
    do {
      let output = try DivertedOutput()
      CrashReport.arm(writingTo: output.original)
      defer {
        CrashReport.disarm()
        notePrinted(output.finish())
      }
      let subject = try CheckedLibrary(
        file.instance, clock: clock, limit: limit, redactor: redactor
      ) { [unowned self] method, params in
        try answer(method, params)
      }
      self.subject = subject
      // What stopped it is told.
      do { try await talk(subject, library) } catch {}
      await end(subject)
    } catch {
      note("start", [.departure(expected: "a check that can begin", got: "\(error)")])
    }
  }

  private func notePrinted(_ output: (text: [UInt8], isCut: Bool)) {
    guard !output.text.isEmpty else { return }
    let text = redactor.excerpt(of: output.text, isCut: output.isCut, bytes: Self.shown)
    note("standard output", [.departure(expected: "nothing on standard output, which is the agent's", got: text)])
  }

  private func talk(_ subject: CheckedLibrary, _ library: PluginLibrary) async throws {
    let native = try await attempt("load and describe", "a library by ringi_plugin.h") {
      if let script = Self.script(building: library.path) {
        throw UnusablePlugin(description: "no file \(library.path); \(script) builds it.")
      }
      return try await subject.load(library.path)
    }
    let manifest = try await attempt("ringi_plugin_describe", "what the plugin offers") {
      try PluginManifest(native.description, from: "Its description")
    }
    let remarks = ManifestRemarks.of(manifest, isLibrary: true)
    if !remarks.isEmpty { note("ringi_plugin_describe", remarks) }
    guard let settings = await settings(for: manifest) else { throw Stopped() }
    try await attempt("ringi_plugin_create", "an instance") { try await subject.create(native, settings) }
    guard manifest.hasTasks else { return }
    try await checkTasks(hasContexts: manifest.hasTaskContexts)
    try await checkCancelling("tasks.list", then: "tasks.list")
  }

  /// What builds a library that is not there, where that lies beside it as with the templates.
  private static func script(building path: String) -> String? {
    let script = String(path.prefix(through: path.lastIndex(of: "/") ?? path.startIndex)) + "build.sh"
    return access(path, F_OK) != 0 && access(script, F_OK) == 0 ? script : nil
  }

  private func attempt<T>(_ step: String, _ expected: String, _ body: () async throws -> T) async throws -> T {
    expectCrash(in: step)
    let began = clock.uptime
    do {
      let value = try await body()
      note(step, [], since: began)
      return value
    } catch {
      note(step, [.departure(expected: expected, got: "\(error)")], since: began)
      throw Stopped()
    }
  }

  private func end(_ subject: CheckedLibrary) async {
    expectCrash(in: "end")
    let began = clock.uptime
    let hasEnded = await subject.end(within: Self.grace)
    noteRest()
    let late: [PluginReport.Finding] =
      hasEnded
      ? []
      : [.departure(expected: "that its calls and ringi_plugin_destroy return within 10 s", got: "that they did not")]
    note("end", late + Self.left(in: -1), since: began)
  }
}
