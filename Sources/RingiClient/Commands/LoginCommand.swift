internal import Glibc
internal import JSON
internal import Text

extension Command {
  static let login = Command(
    name: "login", operands: "PLUGIN", operandCount: 1...1,
    summary: "Logs a person in at a plugin's backend, with a browser",
    details: """
      Prints the backend's page and opens it in a browser, waits at the registered callback of this machine for the browser
      to come back, and lets the agent exchange what it brings. Run it on the machine where the browser runs; the agent's
      socket may be a forwarded one. Ctrl-C ends it, and nothing is changed.
      """,
    options: [
      Option(name: "no-browser", help: "only print the page's address"),
      Option(name: "wait", value: "DURATION", help: "how long to wait for the browser (default 5m; 10m is the most)"),
    ],
    examples: [
      ("ringi login todo", "opens the browser and waits for it"),
      ("ringi login todo --no-browser", "prints the address, to be opened by hand"),
    ],
    run: Login.run)
}

/// A login with a browser, of which this program sees no more than the code.
private enum Login {
  static func run(_ invocation: Invocation) throws(Failure) {
    let plugin = invocation.arguments.operands[0]
    let patience = try invocation.duration("wait") ?? .seconds(300)
    let begun = try invocation.call("plugins.login", ["plugin": JSONValue(plugin)])
    guard let page = begun["url"]?.string, let state = begun["state"]?.string,
      let redirect = begun["redirect"]?.string.flatMap(LoopbackAddress.init)
    else { throw Failure(.unknownOutcome, "The agent's answer to plugins.login makes no sense.") }
    let listener = try LoopbackListener(redirect)
    try show(page, invocation)
    let deadline = Deadline(after: min(max(patience, .seconds(1)), .seconds(600)))
    while true {
      let visit = try listener.next(before: deadline)
      // Somebody else at the port, or the answer to a login of before, changes nothing.
      guard let answered = visit.query["state"], areEqualSecrets(answered, state) else {
        visit.answer(400, "This is no answer to the login that was begun. Nothing was changed.")
        continue
      }
      return try finish(plugin, state, visit, invocation)
    }
  }

  private static func show(_ page: String, _ invocation: Invocation) throws(Failure) {
    let isOpened = !invocation.arguments.has("no-browser") && Browser.open(page)
    invocation.surroundings.errors.line(
      isOpened ? "If the browser does not open it by itself, open this page:" : "Open this page in a browser:")
    invocation.surroundings.errors.line("  ", Styled(page, .bold))
    try invocation.surroundings.errors.flush()
  }

  private static func finish(
    _ plugin: String, _ state: String, _ visit: LoopbackListener.Visit, _ invocation: Invocation
  ) throws(Failure) {
    guard let code = visit.query["code"], visit.query["error"] == nil else {
      let word = visit.query["error"] ?? "it sent no code"
      visit.answer(200, "The login was refused. Nothing was changed; this page may be closed.")
      throw Failure(
        .notPermitted, "The login was refused: \(word).",
        advice: word == "access_denied" ? ["Somebody said no on the page; run `ringi login \(plugin)` again."] : [])
    }
    do throws(Failure) {
      let params: JSONValue = ["plugin": JSONValue(plugin), "state": JSONValue(state), "code": JSONValue(code)]
      let result = try invocation.call("plugins.finishLogin", params)
      visit.answer(200, "Logged in. This page may be closed.")
      guard !invocation.wantsJSON else { return invocation.output.json(result) }
      invocation.output.line("Logged in to ", Styled(plugin, .bold), " as \(Fields.plainText(result["user"])).")
    } catch {
      visit.answer(200, "The login failed; the terminal tells why. This page may be closed.")
      throw error
    }
  }
}
