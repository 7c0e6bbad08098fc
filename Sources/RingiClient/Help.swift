internal import Text

/// What `--help` prints.
enum Help {
  /// The widest name that the texts of a list stand beside.
  private static let widestName = 40

  /// Prints the page of a command, or with nil the overview of the whole program.
  static func show(_ command: Command?, on output: Output) {
    if let command { page(command, on: output) } else { overview(on: output) }
  }

  private static func overview(on output: Output) {
    output.line("Usage: ", hanging: "ringi COMMAND [ARGUMENTS] [OPTIONS]")
    output.line()
    output.paragraph(
      """
      Shows the tasks that wait for you, decides on them, and tells what happens, through a running ringid.
      """)
    list("Commands:", Command.all.map { ($0.name, $0.summary) }, on: output)
    list("Options, with every command:", Option.global.map(entry), on: output)
    output.line()
    output.paragraph("`ringi COMMAND --help` explains a command, with examples. Start with `ringi tasks`.")
  }

  private static func page(_ command: Command, on output: Output) {
    output.line("Usage: ", hanging: Styled("ringi \(command.usage) [OPTIONS]"))
    output.line()
    output.paragraph(command.summary + ".")
    if !command.details.isEmpty {
      output.line()
      output.paragraph(command.details)
    }
    list("Commands:", command.parts.map { ($0.usage, $0.summary) }, on: output)
    list("Options:", command.options.map(entry), on: output)
    list("Options, with every command:", Option.global.map(entry), on: output)
    list("Examples:", command.examples.map { ($0.line, $0.meaning) }, on: output)
  }

  private static func entry(_ option: Option) -> (String, String) {
    ("--\(option.name)\(option.value.map { " " + $0 } ?? "")", option.help)
  }

  private static func list(_ title: Styled, _ entries: [(String, String)], on output: Output) {
    guard !entries.isEmpty else { return }
    output.line()
    output.line(title)
    let width = entries.map { displayWidth(of: $0.0) }.filter { $0 <= widestName }.max() ?? 0
    for (name, text) in entries { output.line("  \(name)  ", hanging: Styled(text), at: width + 4) }
  }
}
