internal import JSON
internal import RingiModel
internal import Timing

/// One file of hooks.d, which declares a ``Hook``.
enum HookFile {
  private static let standardTimeout: Duration = .seconds(30)

  static let schema = Schema.object(
    [
      "on": .array("Globs over event types; one that fits is enough.", of: .string(minLength: 1), minItems: 1),
      "where": .map(
        "What must hold of the event: dotted paths, each with a value, or an array of which it must be one.", of: .any),
      "run": .array("A program and its arguments; one of `run`, `shell` and `call`.", of: .string(), minItems: 1),
      "shell": .string("A script for /bin/sh.", minLength: 1),
      "call": .object(
        "A method of the agent; \"${task.id}\" in its params stands for a value of the event.",
        [
          "method": .string("Its name.", minLength: 1),
          "params": .object([:], isOpen: true).described("Its params, by name."),
        ], required: ["method"]),
      "timeout": .duration("The most that one attempt may take.")
        .default(JSONValue(DurationText.format(standardTimeout))),
      "retries": .integer("How many attempts may follow a failed first one.", 0...1000).default(5),
      "concurrency": .integer(
        "How many deliveries may be under way at once; with more than 1 their order is not kept.", 1...256
      ).default(1),
      "env": .map("Variables beyond the ones that every hook gets.", of: .string()),
    ], required: ["on"])

  /// Reads a file.
  ///
  /// - Parameter file: The file; complaints go to it.
  /// - Returns: The hook; `nil` when the file is not usable.
  static func read(_ file: inout ConfigurationFile) -> Hook? {
    guard file.isObject else { return nil }
    file.check(schema)
    checkTypes(&file)
    file.checkVariables(at: JSONPointer.root.appending("env"))
    let action = action(&file)
    let timeout = file.positiveDuration(at: JSONPointer.root.appending("timeout")) ?? standardTimeout
    guard file.isUsable, let action else { return nil }
    let value = schema.fillingDefaults(file.value)
    return Hook(
      name: file.name, on: value["on"]?.array?.compactMap(\.string) ?? [], where: value["where"], action: action,
      timeout: timeout, retries: Int(value["retries"]?.int ?? 0), concurrency: Int(value["concurrency"]?.int ?? 1),
      environment: EnvironmentVariables.read(value["env"]))
  }

  private static func action(_ file: inout ConfigurationFile) -> Hook.Action? {
    let value = file.value
    let kinds = Hook.Action.Kind.allCases.map(\.rawValue).filter { value[$0] != nil }
    guard let kind = kinds.first else {
      file.complain(at: .root, "it does nothing; give one of run, shell and call")
      return nil
    }
    guard kinds.count == 1 else {
      file.complain(
        at: JSONPointer.root.appending(kinds[1]), aboutKey: true,
        "\(kinds.joined(separator: " and ")) exclude each other; keep one")
      return nil
    }
    if kind != Hook.Action.Kind.call.rawValue { file.refuseNUL(at: JSONPointer.root.appending(kind)) }
    if let words = value["run"]?.array {
      if words.first?.string?.isEmpty == true {
        file.complain(at: JSONPointer(tokens: ["run", "0"]), "takes a program's name or path, got \"\"")
      }
      return .run(words.compactMap(\.string))
    }
    if let script = value["shell"]?.string { return .shell(script) }
    return value["call"]?["method"]?.string.map {
      .call(method: $0, params: value["call"]?["params"] ?? .emptyObject)
    }
  }

  /// Any type may be published by somebody, so only a near miss of a built-in one is worth a word.
  private static func checkTypes(_ file: inout ConfigurationFile) {
    let known = EventType.builtIn.map(\.rawValue).sorted()
    for (index, type) in (file.value["on"]?.array?.map(\.string) ?? []).enumerated() {
      guard let type, !known.contains(where: { Glob(type).matches($0) }),
        let near = Suggestion.nearest(to: type, among: known)
      else { continue }
      file.complain(
        at: JSONPointer(tokens: ["on", String(index)]),
        "the agent publishes no \(JSONValue(type)); did you mean \"\(near)\"?", isWarning: true)
    }
  }
}
