internal import JSON

/// A command line taken apart: the command, its operands, and the options wherever they stood.
struct ParsedArguments {
  private(set) var command: Command?
  private(set) var operands: [String] = []
  private var values: [String: [String]] = [:]

  /// Whether an option was given.
  func has(_ name: String) -> Bool { values[name] != nil }

  /// The value of an option; the last one when it was repeated.
  func value(_ name: String) -> String? { values[name]?.last }

  /// All values of a repeatable option.
  func all(_ name: String) -> [String] { values[name] ?? [] }

  /// Takes the command line apart.
  ///
  /// `--` ends the options; a value follows its option or an equals sign.
  ///
  /// - Throws: `Failure` with `.usage`, which names what was probably meant.
  init(_ arguments: [String]) throws(Failure) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        for operand in rest { try take(operand) }
        return
      } else if argument == "-h" {
        values["help", default: []].append("")
      } else if argument.hasPrefix("--") {
        try takeOption(argument.dropFirst(2), from: &rest)
      } else if argument.hasPrefix("-"), argument.count > 1 {
        throw .usage("There is no option \(argument).", advice: helpHint)
      } else {
        try take(argument)
      }
    }
  }

  /// Where the person finds out more.
  private var helpHint: String {
    "See `ringi \(command.map { "\($0.name) " } ?? "")--help`."
  }

  private mutating func take(_ operand: String) throws(Failure) {
    guard let first = command else {
      command = try Command.named(operand)
      return
    }
    if first.parts.isEmpty { operands.append(operand) } else { command = try first.part(operand) }
  }

  private mutating func takeOption(_ text: Substring, from rest: inout ArraySlice<String>) throws(Failure) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let known = Option.global + (command?.options ?? [])
    guard let option = known.first(where: { $0.name == parts[0] }) else {
      let suggestion = Suggestion.nearest(to: parts[0], among: known.map(\.name)).map { " Did you mean --\($0)?" }
      throw .usage("There is no option --\(parts[0]).\(suggestion ?? "")", advice: helpHint)
    }
    guard option.isRepeatable || option.value == nil || values[option.name] == nil else {
      throw .usage("--\(option.name) is given twice.", advice: helpHint)
    }
    var value = ""
    if let name = option.value {
      guard let given = parts.count > 1 ? parts[1] : rest.popFirst() else {
        throw .usage("--\(option.name) needs a value: \(name).", advice: helpHint)
      }
      value = given
    } else if parts.count > 1 {
      throw .usage("--\(option.name) takes no value.", advice: helpHint)
    }
    values[option.name, default: []].append(value)
  }
}
