internal import JSON
internal import RingiModel
internal import Timing

/// One file of hooks.d, which declares a ``Hook``.
enum HookFile {
  static let schema = Schema.object(
    [
      "on": .array("Globs over event types.", of: .string(minLength: 1), minItems: 1),
      "where": .map("What must hold of the event: dotted paths, each with a value or an array of values.", of: .any),
      "run": .array("A program and its arguments.", of: .string(), minItems: 1),
      "shell": .string("A script for /bin/sh.", minLength: 1),
      "call": .object(
        "A method of the agent; \"${task.id}\" in its params stands for a value of the event.",
        ["method": .string("Its name.", minLength: 1), "params": .object([:], isOpen: true)], required: ["method"]),
      "timeout": .duration("The most that one attempt may take.").default("30s"),
      "retries": .integer("How many attempts may follow a failed first one.", 0...1000).default(5),
      "concurrency": .integer("How many deliveries may be under way at once.", 1...256).default(1),
      "env": .map("Variables beyond the ones that every hook gets.", of: .string()),
    ], required: ["on"])

  static func read(_ file: inout ConfigurationFile) -> Hook? {
    file.check(schema)
    guard file.isUsable, let action = action(&file) else { return nil }
    let value = file.value
    let types = value["on"]?.array?.compactMap(\.string) ?? []
    checkTypes(types, &file)
    return Hook(
      name: file.name, on: types, where: value["where"], action: action,
      timeout: value["timeout"]?.string.flatMap { try? DurationText.parse($0) } ?? .seconds(30),
      retries: Int(value["retries"]?.int ?? 5), concurrency: Int(value["concurrency"]?.int ?? 1),
      environment: Dictionary(
        (value["env"]?.object.map(Array.init) ?? []).map { ($0.key, $0.value.string ?? "") }, uniquingKeysWith: { $1 }))
  }

  private static func action(_ file: inout ConfigurationFile) -> Hook.Action? {
    let value = file.value
    let kinds = Hook.Action.Kind.allCases.map(\.rawValue).filter { value[$0] != nil }
    guard kinds.count == 1 else {
      if kinds.isEmpty {
        file.complain(at: .root, "it does nothing; give one of run, shell and call")
      } else {
        file.complain(
          at: JSONPointer.root.appending(kinds[1]), aboutKey: true,
          "\(kinds.joined(separator: " and ")) exclude each other; keep one")
      }
      return nil
    }
    if let words = value["run"]?.array { return .run(words.compactMap(\.string)) }
    if let script = value["shell"]?.string { return .shell(script) }
    return .call(
      method: value["call"]?["method"]?.string ?? "", params: value["call"]?["params"] ?? .emptyObject)
  }

  /// Any type may be published by somebody, so only a near miss of a built-in one is worth a word.
  private static func checkTypes(_ types: [String], _ file: inout ConfigurationFile) {
    let known = EventType.builtIn.map(\.rawValue)
    for (index, type) in types.enumerated() where !type.contains("*") && !known.contains(type) {
      guard let near = Suggestion.nearest(to: type, among: known) else { continue }
      file.complain(
        at: JSONPointer.root.appending("on").appending(index),
        "the agent publishes no \"\(type)\"; did you mean \"\(near)\"?", isWarning: true)
    }
  }
}
