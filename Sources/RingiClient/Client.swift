/// The program `ringi`: arguments in, exit code out.
package enum Client {
  /// Runs one command line.
  ///
  /// - Parameters:
  ///   - arguments: What follows the program's name.
  ///   - surroundings: Environment, terminal, clock and signals.
  /// - Returns: The exit code; whatever went wrong was said on standard error.
  package static func run(_ arguments: [String], in surroundings: Surroundings) -> ExitCode {
    do throws(Failure) {
      try perform(arguments, in: surroundings)
      try surroundings.output.flush()
      try surroundings.errors.flush()
      return .success
    } catch {
      return report(error, in: surroundings)
    }
  }

  private static func perform(_ arguments: [String], in surroundings: Surroundings) throws(Failure) {
    let parsed = try ParsedArguments(arguments)
    try chooseColors(parsed.value("color"), in: surroundings)
    if parsed.has("version") {
      surroundings.output.line("ringi \(version)")
    } else if parsed.has("help") {
      Help.show(parsed.command, on: surroundings.output)
    } else if let command = parsed.command {
      guard command.operandCount.contains(parsed.operands.count) else {
        throw wrongOperands(parsed.operands, of: command)
      }
      try command.run(Invocation(parsed, in: surroundings))
    } else {
      throw .usage("Which command?", advice: "`ringi --help` lists them; `ringi tasks` shows what waits for you.")
    }
  }

  private static func wrongOperands(_ operands: [String], of command: Command) -> Failure {
    let taken = "See `ringi \(command.name) --help`."
    if operands.count > command.operandCount.upperBound {
      let first = operands[command.operandCount.upperBound]
      return .usage("ringi \(command.name) takes nothing more, but there is \(first).", advice: taken)
    }
    return .usage("ringi \(command.name) needs \(command.operands).", advice: taken)
  }

  /// Sends colours where they were asked for, or to a terminal that understands them (no-color.org).
  private static func chooseColors(_ choice: String?, in surroundings: Surroundings) throws(Failure) {
    let allowed =
      (surroundings.environment("NO_COLOR") ?? "").isEmpty && surroundings.environment("TERM") != "dumb"
    for output in [surroundings.output, surroundings.errors] {
      switch choice ?? "auto" {
      case "auto": output.isColored = output.isTerminal && allowed
      case "always": output.isColored = true
      case "never": output.isColored = false
      case let other: throw .usage("--color takes auto, always or never, not \(other).")
      }
    }
  }

  private static func report(_ failure: Failure, in surroundings: Surroundings) -> ExitCode {
    // What was found before it went wrong still counts.
    try? surroundings.output.flush()
    surroundings.errors.line(Styled("ringi: ", .red), hanging: Styled(failure.message))
    for line in failure.advice { surroundings.errors.line("  ", hanging: Styled(line)) }
    // When standard error cannot be written to either, the exit code is all that is left.
    try? surroundings.errors.flush()
    return failure.code
  }
}
