internal import Text

/// What `--help` prints.
enum Help {
  /// The overview of the whole program.
  static func overview(_ commands: [Command]) -> String {
    """
    Usage: ringi COMMAND [ARGUMENTS] [OPTIONS]

    Shows the tasks that wait for you, decides on them, and tells what happens, through a running ringid.

    Commands:
    \(list(commands.map { ($0.name, $0.summary) }))

    Options, with every command:
    \(list(Option.global.map(entry)))

    `ringi COMMAND --help` explains a command, with examples. Start with `ringi tasks`.
    """
  }

  /// The page of one command.
  static func page(_ command: Command) -> String {
    var sections = ["Usage: ringi \(command.name)\(command.operands.isEmpty ? "" : " " + command.operands) [OPTIONS]"]
    sections.append(command.summary + "." + (command.details.isEmpty ? "" : "\n\n" + command.details))
    if !command.options.isEmpty { sections.append("Options:\n" + list(command.options.map(entry))) }
    sections.append("Options, with every command:\n" + list(Option.global.map(entry)))
    sections.append("Examples:\n" + list(command.examples.map { ($0.line, $0.meaning) }))
    return sections.joined(separator: "\n\n")
  }

  private static func entry(_ option: Option) -> (String, String) {
    ("--\(option.name)\(option.value.map { " " + $0 } ?? "")", option.help)
  }

  private static func list(_ entries: [(String, String)]) -> String {
    let width = entries.map { displayWidth(of: $0.0) }.filter { $0 <= 40 }.max() ?? 0
    return entries.map { name, text in
      displayWidth(of: name) > width
        ? "  \(name)\n  \(padded("", to: width))  \(text)" : "  \(padded(name, to: width))  \(text)"
    }.joined(separator: "\n")
  }
}
