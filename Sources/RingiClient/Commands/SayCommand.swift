internal import JSON

extension Command {
  static let say = Command(
    name: "say", operands: "TEXT…", operandCount: 1...Int.max,
    summary: "Says a phrase of the configuration, and does what it stands for",
    details: """
      Upper and lower case, full and half width, and punctuation around the phrase make no difference. Phrases are
      written in ringi.json.
      """,
    examples: [
      ("ringi say だっふんだ", "starts what だっふんだ stands for"),
      ("ringi say 'だいじょぶだぁ！'", "approves the newest task, if it stands for that"),
    ],
    run: { invocation throws(Failure) in
      let text = invocation.arguments.operands.joined(separator: " ")
      let result = try invocation.call("phrases.say", ["text": JSONValue(text)])
      guard !invocation.wantsJSON else { return invocation.output.json(result) }
      invocation.output.line(
        Styled(result["phrase"]?.string ?? text, .bold), " → \(Fields.plainText(result["method"]))")
      guard let inner = result["result"], !inner.isNull else { return }
      if inner["task"]?["outcome"]?.string != nil {
        Decision.report(inner, to: invocation.output)
      } else {
        invocation.output.json(inner)
      }
    })
}
