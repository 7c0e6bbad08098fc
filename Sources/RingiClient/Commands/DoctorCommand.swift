internal import JSON

extension Command {
  static let doctor = Command(
    name: "doctor", operands: "[PLUGIN…]", operandCount: 0...Int.max,
    summary: "Checks what may be wrong, and says what to do",
    details: """
      Looks at the configuration, permissions, the disk and the clock, and asks the backend of each plugin once: can it be
      reached, is its certificate good, does it take the credentials, what does its clock show? With PLUGIN only those are
      checked. It changes nothing, and ends with 1 when something is wrong; warnings are no failure.
      """,
    examples: [
      ("ringi doctor", "the agent and all plugins"),
      ("ringi doctor sap", "one plugin"),
      (#"ringi doctor --json | jq '.checks[] | select(.status == "problem")'"#, "for scripts"),
    ],
    run: { invocation throws(Failure) in
      do throws(Failure) {
        try Doctor.run(invocation)
      } catch  where error.code == .agentUnreachable {
        try SocketCheck.run(invocation)
        throw Failure(
          error.code, error.message,
          advice: error.advice + ["`ringid --check` tells whether its configuration can be used."])
      }
    })
}

/// The checks of a running agent.
private enum Doctor {
  static func run(_ invocation: Invocation) throws(Failure) {
    let plugins = invocation.arguments.operands
    var params: JSONValue = plugins.isEmpty ? [:] : ["plugins": JSONValue(array: plugins.map { JSONValue($0) })]
    let output = invocation.output
    // Who looks on sees each plugin as soon as it is done; a pipe gets them in their order.
    let isLive = output.isTerminal && !invocation.wantsJSON
    if isLive { params = params.setting("progressToken", to: "doctor") }
    var view = FindingView(output)
    var fault: Failure?
    let result = try invocation.call("agent.doctor", params) { section in
      view.show(Listing.rows(section, "checks"), of: section["plugin"]?.string)
      do throws(Failure) { try output.flush() } catch { fault = error }
    }
    if let fault { throw fault }
    let checks = Listing.rows(result, "checks")
    if invocation.wantsJSON { output.json(result) } else if !isLive { view.show(all: checks) }
    let problems = checks.count { $0["status"] == "problem" }
    guard problems == 0 else {
      throw Failure(.refused, "\(Count.text(JSONValue(problems), of: "problem")) in \(checks.count) checks.")
    }
    guard !invocation.wantsJSON else { return }
    let warnings = checks.count { $0["status"] == "warning" }
    output.line()
    output.line(
      "Nothing is wrong in \(checks.count) checks",
      warnings == 0 ? "." : Styled(", with \(Count.text(JSONValue(warnings), of: "warning")).", .yellow))
  }
}
