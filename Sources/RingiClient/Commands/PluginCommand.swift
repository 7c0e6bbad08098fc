internal import CLinux
internal import Glibc
internal import JSON
internal import PluginTemplates
internal import RingiModel
internal import Text

extension Command {
  static let plugin = Command(
    name: "plugin", operands: "new NAME --language WORD | check PLUGIN | from-openapi FILE",
    summary: "Writes a plugin to start from, checks one, or declares a service",
    details: "Each has its own help, such as `ringi plugin new --help`.",
    examples: [
      ("ringi plugin new todo --language python", "a plugin called todo"),
      ("ringi plugin check todo", "does it keep to the protocol?"),
      ("ringi plugin from-openapi api.json > shop.json", "a service with a REST API, as a plugin"),
    ],
    parts: [newPlugin, pluginCheck, fromOpenAPI],
    run: { _ throws(Failure) in
      throw .usage("ringi plugin needs new, check or from-openapi.", advice: "See `ringi plugin --help`.")
    })

  private static let newPlugin = Command(
    name: "plugin new", operands: "NAME --language WORD", operandCount: 1...1,
    summary: "Writes a new plugin to start from",
    details: """
      Writes NAME.json and the folder NAME: a task source with a method, an event and a test, that works as it is. It
      replaces nothing.
      """,
    options: [
      Option(
        name: "language", value: "WORD",
        help: "what to write it in: \(PluginTemplate.all.map(\.language).joined(separator: ", "))"),
      Option(
        name: "directory", value: "DIR",
        help: "where (default: plugins.d of the configuration, found as ringid does)"),
    ],
    examples: [
      ("ringi plugin new todo --language python", "a plugin called todo"),
      ("ringi plugin new todo --language sh --directory .", "in this folder"),
    ],
    run: { invocation throws(Failure) in try NewPlugin.write(invocation.arguments.operands[0], invocation) })

  private static let pluginCheck = Command(
    name: "plugin check", operands: "PLUGIN", operandCount: 1...1,
    summary: "Checks a plugin without an agent",
    details: """
      Runs a plugin alone, as the agent would, and tells each departure from the protocol, with what was expected and what
      came. It calls nothing that changes something, and decides no task. PLUGIN is the name of a plugin in plugins.d, or
      the path of its .json file. --timeout is how long each answer may take, 10s here. It ends with 1 when there are
      departures. The work is done by `ringid --check-plugin`.
      """,
    examples: [
      ("ringi plugin check todo", "does it keep to the protocol?"),
      ("ringi plugin check ./todo.json --timeout 5s --json", "for scripts; an answer may take 5 s"),
    ],
    run: { invocation throws(Failure) in try check(invocation.arguments.operands[0], invocation) })

  private static let fromOpenAPI = Command(
    name: "plugin from-openapi", operands: "FILE", operandCount: 1...1,
    summary: "Declares a service as a plugin, from its OpenAPI document",
    details: """
      Prints a file of plugins.d that declares a service for the rest provider, made of an OpenAPI 3 document in JSON or YAML;
      FILE may be -. What it could not take over is told on standard error.
      """,
    examples: [("ringi plugin from-openapi api.json > shop.json", "a service with a REST API, as a plugin")],
    run: { invocation throws(Failure) in try importOpenAPI(invocation.arguments.operands[0], invocation) })

  private static func importOpenAPI(_ file: String, _ invocation: Invocation) throws(Failure) {
    var made = try OpenAPIImport(try text(of: file, invocation))
    let declaration = made.declaration()
    invocation.output.text(PrintableJSON.text(of: declaration, pretty: true))
    for line in made.report { invocation.note(line) }
  }

  private static func text(of file: String, _ invocation: Invocation) throws(Failure) -> String {
    if file == "-" { return try StandardInput.read(invocation.surroundings.input) }
    let descriptor = open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .usage("\(file) can't be read: \(SystemMessage.text(errno)).") }
    defer { close(descriptor) }
    return try StandardInput.read(descriptor)
  }

  private static func check(_ plugin: String, _ invocation: Invocation) throws(Failure) {
    var arguments = ["--check-plugin", plugin]
    if invocation.wantsJSON { arguments.append("--json") }
    if let timeout = invocation.arguments.value("timeout") {
      _ = try invocation.duration("timeout")
      arguments += ["--timeout", timeout]
    }
    try AgentProgram.become(arguments)
  }
}

/// Writes a plugin to start from.
private enum NewPlugin {
  static func write(_ name: String, _ invocation: Invocation) throws(Failure) {
    if let fault = InstanceName.fault(in: name) { throw .usage("The name \(name) \(fault).") }
    let template = try template(invocation.arguments.value("language"))
    let standard = standardFolder(invocation.surroundings)
    let folder = invocation.arguments.value("directory").map(trimmed) ?? standard
    let (file, own) = (template.configuration(named: name), "\(folder)/\(name)")
    for path in ["\(folder)/\(file.name)", own] where isThere(path) {
      throw Failure(
        .conflict, "\(path) is there already, and nothing was written.",
        advice: ["Choose another name, or move it away."])
    }
    let files = template.files(named: name)
    var new = NewFiles()
    do throws(Failure) {
      try new.makeFolders(folder)
      try new.makeFolder(own)
      for file in files { try new.write(file.bytes, to: "\(own)/\(file.name)", isExecutable: file.isExecutable) }
      // What the agent reads comes last, when all that it names is there.
      try new.write(file.bytes, to: "\(folder)/\(file.name)")
    } catch {
      new.remove()
      throw error
    }
    let written = ["\(folder)/\(file.name)"] + files.map { "\(own)/\($0.name)" }
    tell(name, template, written, in: folder, isInForce: folder == standard, invocation)
  }

  private static func template(_ language: String?) throws(Failure) -> PluginTemplate {
    let known = PluginTemplate.all.map(\.language)
    let choice = "--language takes \(known.dropLast().joined(separator: ", ")) or \(known.last ?? "")"
    guard let language else { throw .usage("In which language? \(choice).", advice: "See `ringi plugin new --help`.") }
    guard let template = PluginTemplate.all.first(where: { $0.language == language }) else {
      throw .usage("\(choice), not \(language).", advice: "docs/plugins.md has the protocol, for any other.")
    }
    return template
  }

  /// plugins.d of the configuration.
  private static func standardFolder(_ surroundings: Surroundings) -> String {
    let names = ["HOME", "RINGI_CONFIG", "XDG_CONFIG_HOME"]
    let variables = names.compactMap { name in surroundings.environment(name).map { (name, $0) } }
    let paths = Paths(
      environment: Dictionary(uniqueKeysWithValues: variables),
      // Where there is no configuration yet, it begins as the user's own.
      exists: { isThere($0) || !isThere("/etc/ringi") })
    return trimmed(paths.config) + "/plugins.d"
  }

  private static func trimmed(_ path: String) -> String {
    path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  private static func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  private static func tell(
    _ name: String, _ template: PluginTemplate, _ written: [String], in folder: String, isInForce: Bool,
    _ invocation: Invocation
  ) {
    let test = "\(folder)/\(template.test(named: name))"
    guard !invocation.wantsJSON else {
      return invocation.output.json([
        "name": JSONValue(name), "language": JSONValue(template.language),
        "files": JSONValue(array: written.map { JSONValue($0) }), "test": JSONValue(test),
      ])
    }
    for path in written { invocation.output.line(Styled("Written", .green), ": \(path)") }
    let plugin = isInForce ? name : "\(folder)/\(name).json"
    var steps = [
      (test, "\(template.isBuilt ? "build it and run" : "run") its test; it needs \(template.needs)"),
      ("ringi plugin check \(plugin)", "does it keep to the protocol?"),
    ]
    if !isInForce { steps.append(("(move both into plugins.d)", "so that the agent finds it")) }
    steps += [
      ("ringi reload", "start it"), ("ringi tasks", "see its task"),
      ("ringi call \(name).add title='Feed the cat'", "call its method"),
    ]
    invocation.output.line("Next:")
    let width = steps.map { displayWidth(of: $0.0) }.max() ?? 0
    for (line, meaning) in steps {
      invocation.output.line(Styled("  \(line)  ", .bold), hanging: Styled(meaning), at: width + 4)
    }
  }
}
