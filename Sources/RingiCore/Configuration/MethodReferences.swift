internal import EventLoop
internal import JSON
internal import RingiKit

/// Checks what the configuration says about methods, once all of them are known.
@Loop
enum MethodReferences {
  /// Complains about globs that match nothing and calls of what there is not.
  static func check(_ reading: Configuration.Reading, _ registry: Registry) -> [ConfigurationProblem] {
    let names = registry.table.methods.map(\.name)
    return reading.files.flatMap { file -> [ConfigurationProblem] in
      guard file.isUsable else { return [] }
      var copy = file
      checkAllow(&copy, names)
      checkCalls(&copy, names)
      return Array(copy.problems.dropFirst(file.problems.count))
    }
  }

  private static func checkAllow(_ file: inout ConfigurationFile, _ names: [String]) {
    for (index, listener) in (file.value["listen"]?.array.map(Array.init) ?? []).enumerated() {
      for (place, pattern) in (listener["allow"]?.array.map(Array.init) ?? []).enumerated() {
        guard let text = pattern.string, !names.contains(where: { Glob(text).matches($0) }) else { continue }
        let families = Set(names.map { "\($0.prefix { $0 != "." }).*" })
        let near = Suggestion.nearest(to: text, among: names + families.sorted())
        file.complain(
          at: JSONPointer(tokens: ["listen", String(index), "allow", String(place)]),
          "\"\(text)\" matches no method\(near.map { "; did you mean \"\($0)\"?" } ?? "")")
      }
    }
  }

  private static func checkCalls(_ file: inout ConfigurationFile, _ names: [String]) {
    var places: [[String]] = file.value["call"] == nil ? [] : [["call"]]
    if file.value["call"]?["method"] != nil { places = [["call", "method"]] }
    for index in 0..<(file.value["phrases"]?.array?.count ?? 0) { places.append(["phrases", String(index), "call"]) }
    for place in places {
      let pointer = JSONPointer(tokens: place)
      guard let name = file.value[pointer: pointer]?.string, !names.contains(name) else { continue }
      let near = Suggestion.nearest(to: name, among: names)
      file.complain(
        at: pointer, "there is no method \"\(name)\"\(near.map { "; did you mean \"\($0)\"?" } ?? "")")
    }
  }
}
