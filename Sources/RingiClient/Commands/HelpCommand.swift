extension Command {
  static let help = Command(
    name: "help", operands: "[COMMAND]", operandCount: 0...1,
    summary: "Explains a command, like its --help",
    examples: [("ringi help approve", "how to approve")],
    run: { invocation throws(Failure) in
      guard let name = invocation.arguments.operands.first else {
        return invocation.output.text(Help.overview(Command.all))
      }
      invocation.output.text(Help.page(try Command.named(name)))
    })
}
