package import EventLoop
internal import Glibc
internal import JSON
package import RingiKit
internal import RingiModel

extension PluginCheck {
  /// There is no such plugin.
  package struct NotFound: Error, CustomStringConvertible {
    package let description: String
  }

  /// What is to be checked: a plugin, or a file that says already that there is none.
  package enum Subject {
    case plugin(PluginCheck)
    case refused(PluginReport)
  }

  /// Finds a plugin.
  ///
  /// - Parameters:
  ///   - plugin: The name of an instance, or the path of its file.
  ///   - config: The configuration's folder.
  ///   - providers: The built-in providers.
  ///   - environment: The variables of this process.
  ///   - limit: How long each answer may take.
  ///   - clock: Measures that.
  ///   - render: Makes text of a report, for a library that ends this process with a crash.
  /// - Returns: What is to be checked.
  /// - Throws: ``NotFound``.
  package static func find(
    _ plugin: String, config: String, providers: [any Provider.Type], environment: [String: String], limit: Duration,
    clock: any LoopClock, render: @escaping @Sendable (PluginReport) -> String
  ) throws(NotFound) -> Subject {
    var file = try file(plugin, config)
    let schemas = Dictionary(providers.map { ($0.name, $0.settings) }, uniquingKeysWith: { first, _ in first })
    let read = PluginFile(&file, providers: schemas)
    var report = PluginReport(plugin: read?.instance ?? file.name, file: file.path)
    guard let read else {
      report.add("file", file.problems.map { finding($0, "a file that plugins.d takes") })
      return .refused(report)
    }
    guard read.kind != .builtin else {
      report.add(
        "file",
        [
          .departure(
            expected: "a plugin with a command or a library",
            got: "the provider \(read.provider), which is part of the agent")
        ])
      return .refused(report)
    }
    return .plugin(PluginCheck(read, environment: environment, limit: limit, clock: clock, render: render))
  }

  private static func file(_ plugin: String, _ config: String) throws(NotFound) -> ConfigurationFile {
    if plugin.contains("/") || plugin.hasSuffix(".json") {
      guard access(plugin, F_OK) == 0 else { throw NotFound(description: "There is no file \(plugin).") }
      if let other = otherFile(plugin) { throw other }
      let slash = plugin.lastIndex(of: "/")
      let directory = slash.map { $0 == plugin.startIndex ? "/" : String(plugin[..<$0]) } ?? "."
      return ConfigurationFile(
        String(plugin[(slash.map { plugin.index(after: $0) } ?? plugin.startIndex)...]), in: directory)
    }
    var folder = ConfigurationFolder(config)
    let files = folder.files(in: "plugins.d")
    let names = files.map { $0.value["name"]?.string ?? $0.name }
    if let index = names.firstIndex(of: plugin) { return files[index] }
    if let other = otherFile(plugin) { throw other }
    let advice =
      Suggestion.nearest(to: plugin, among: names).map { "Did you mean \($0)?" }
      ?? (names.isEmpty ? "There are no plugins." : "There are \(names.joined(separator: ", ")).")
    throw NotFound(description: "There is no plugin \(plugin) in \(config)/plugins.d. \(advice)")
  }

  /// What to say of a path of a plugin's folder, or of a file in it, where the plugin's own file was asked for; `nil`
  /// where there is nothing, or a file that may be one.
  private static func otherFile(_ path: String) -> NotFound? {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    let isFolder = access(path + "/.", F_OK) == 0
    guard isFolder || (access(path, F_OK) == 0 && !path.hasSuffix(".json")) else { return nil }
    let slash = path.lastIndex(of: "/")
    let dot = path.lastIndex(of: ".").flatMap { dot in slash.map { $0 < dot } ?? true ? dot : nil }
    // Beside a folder of its name, beside a program of its name, beside the folder that the program is in.
    let stems = [path, dot.map { String(path[..<$0]) }, slash.map { String(path[..<$0]) }].compactMap { $0 }
    let file = stems.map { $0 + ".json" }.first { access($0, F_OK) == 0 }
    let advice = file.map { "the plugin's file is \($0)." } ?? "name the plugin, or its .json file in plugins.d."
    return NotFound(description: "\(path) is \(isFolder ? "a folder" : "no plugin's file"); \(advice)")
  }
}
