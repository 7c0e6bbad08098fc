internal import JSON

/// One of `ringi`'s commands: what it is called, what it takes, what help says of it, and what it does.
struct Command: Sendable {
  let name: String
  /// The operands as usage shows them, such as "TASK".
  var operands = ""
  /// How many operands it takes.
  var operandCount = 0...0
  /// One line for the list of commands.
  let summary: String
  /// What help says beyond the summary.
  var details = ""
  var options: [Option] = []
  /// Command lines with what they do.
  let examples: [(line: String, meaning: String)]
  /// Commands of two words, which begin with this one's name.
  var parts: [Command] = []
  let run: @Sendable (Invocation) throws(Failure) -> Void

  /// What follows the program's name, without options that may be left out.
  var usage: String { operands.isEmpty ? name : "\(name) \(operands)" }
}

extension Command {
  /// All commands, in the order in which help lists them.
  static let all: [Command] = [
    .tasks, .task, .approve, .reject, .complete, .claim, .release, .refresh,
    .watch, .events, .publish, .say,
    .status, .doctor, .plugins, .plugin, .login, .jobs, .hooks, .reload, .shutdown,
    .audit, .backup, .restore,
    .call, .discover, .help,
  ]

  /// The command of two words of which this one is the first.
  ///
  /// - Throws: `Failure` with `.usage`, which names those there are.
  func part(_ word: String) throws(Failure) -> Command {
    if let part = parts.first(where: { $0.name == "\(name) \(word)" }) { return part }
    let words = parts.map { String($0.name.dropFirst(name.count + 1)) }.joined(separator: ", ")
    throw .usage("ringi \(name) takes one of \(words), not \(word).", advice: "See `ringi \(name) --help`.")
  }

  /// The command of a name.
  ///
  /// - Throws: `Failure` with `.usage`, which names what was probably meant.
  static func named(_ name: String) throws(Failure) -> Command {
    if let command = all.first(where: { $0.name == name }) { return command }
    let suggestion = Suggestion.nearest(to: name, among: all.map(\.name)).map { " Did you mean \($0)?" } ?? ""
    throw .usage("There is no command \(name).\(suggestion)", advice: "`ringi --help` lists the commands.")
  }
}
