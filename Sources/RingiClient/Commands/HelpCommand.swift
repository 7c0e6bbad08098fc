extension Command {
  static let help = Command(
    name: "help", operands: "[COMMAND]", operandCount: 0...2,
    summary: "Explains a command, like its --help",
    examples: [("ringi help approve", "how to approve"), ("ringi help plugin new", "a command of two words")],
    run: { invocation throws(Failure) in
      let words = invocation.arguments.operands
      var command = try words.first.map { word throws(Failure) in try Command.named(word) }
      // "ringi help plugins logs" is answered by the page of plugins.
      if let first = command, !first.parts.isEmpty, words.count > 1 { command = try first.part(words[1]) }
      Help.show(command, on: invocation.output)
    })
}
