internal import EventLoop
internal import JSON
internal import RingiKit

/// Checks what the configuration says about methods, once all of them are known.
@Loop
enum MethodReferences {
  /// Complains of globs that match nothing and of calls of what there is not.
  ///
  /// Methods of an instance that is configured and not loaded may be right; they are not complained of.
  static func check(_ reading: Configuration.Reading, _ registry: Registry) -> [ConfigurationProblem] {
    let names = registry.table.methods.map(\.name)
    let prefixes = Set(names.map { String($0.prefix { $0 != "." }) })
    let absent = reading.instanceNames.subtracting(prefixes)
    return reading.files.flatMap { file in
      var copy = file
      for place in allowPlaces(file) + callPlaces(file) {
        guard let text = file.value[pointer: place]?.string, !text.isEmpty else { continue }
        guard !names.contains(where: { Glob(text).matches($0) }) else { continue }
        guard !absent.contains(String(text.prefix { $0 != "." })) else { continue }
        let isGlob = place.tokens.contains("allow")
        let near = Suggestion.nearest(to: text, among: names + (isGlob ? prefixes.sorted().map { "\($0).*" } : []))
        let what = isGlob ? "\(JSONValue(text)) matches no method" : "there is no method \(JSONValue(text))"
        copy.complain(
          at: place, "\(what); \(near.map { "did you mean \"\($0)\"?" } ?? "rpc.discover lists all that there are")")
      }
      return Array(copy.problems.dropFirst(file.problems.count))
    }
  }

  /// Where globs stand.
  private static func allowPlaces(_ file: ConfigurationFile) -> [JSONPointer] {
    let listeners = file.value["listen"]?.array?.indices.map { JSONPointer(tokens: ["listen", String($0), "allow"]) }
    return ([JSONPointer.root.appending("allow")] + (listeners ?? [])).flatMap { place in
      (file.value[pointer: place]?.array?.indices ?? 0..<0).map { place.appending($0) }
    }
  }

  /// Where names of methods stand.
  private static func callPlaces(_ file: ConfigurationFile) -> [JSONPointer] {
    let phrases = file.value["phrases"]?.array?.indices.map { JSONPointer(tokens: ["phrases", String($0), "call"]) }
    return [JSONPointer(tokens: ["call"]), JSONPointer(tokens: ["call", "method"])] + (phrases ?? [])
  }
}
