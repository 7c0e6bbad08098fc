import Foundation
import JSON
import RingiTestSupport
import Testing

/// `ringi plugin check`, with libraries that each do one thing wrong: the template with a change.
@Suite(.enabled(if: LibraryWorld.isPossible))
struct LibraryCheckTests {
  /// A text of plugin.c and what comes in its place, and what is found then.
  struct Case: Sendable, CustomTestStringConvertible {
    let fault: String
    let text: String
    let change: String
    let step: String
    let got: String
    var timeout = "30s"
    var testDescription: String { fault }
  }

  private static let list = "host->answer(host, call, open_tasks(plugin));"

  private static let cases = [
    Case(fault: "aborts", text: list, change: "abort();", step: "tasks.list", got: "a crash"),
    Case(
      fault: "reads what is not its own", text: "return JSON({", change: "return *(json_t *volatile *)8; JSON({",
      step: "load and describe", got: "a crash"),
    Case(
      fault: "calls itself without end", text: list,
      change: "for (;;) { volatile char *frame = __builtin_alloca(512); *frame = 1; }", step: "tasks.list",
      got: "a crash"),
    Case(
      fault: "never answers", text: list, change: ";", step: "tasks.list", got: "none", timeout: "10s"),
    Case(
      fault: "answers with nothing", text: list, change: "host->answer(host, call, NULL);", step: "tasks.list",
      got: "no value"),
    Case(
      fault: "fails over a task that is not there", text: "task ? json_deep_copy(task) : json_null()",
      change: "json_deep_copy(task)", step: "tasks.get of no task", got: "no value"),
    Case(
      fault: "prints", text: list, change: "puts(\"a listing\"); \(list)", step: "standard output", got: "a listing"),
    Case(
      fault: "was built for another version", text: "return RINGI_PLUGIN_ABI;", change: "return 99;",
      step: "load and describe", got: "built for version 99"),
    Case(
      fault: "lacks a function", text: "void ringi_plugin_destroy(", change: "void ringi_plugin_destro(",
      step: "load and describe", got: "has no ringi_plugin_destroy"),
    Case(
      fault: "describes what can't be", text: "\"result\": {\"type\": \"string\"}",
      change: "\"result\": {\"type\": \"text\"}", step: "ringi_plugin_describe",
      got: "/methods/0/result/type: this keyword takes a type"),
    Case(
      fault: "makes no instance", text: "plugin->host = host;",
      change: "snprintf(error, error_size, \"no server\"); return NULL;", step: "ringi_plugin_create",
      got: "no server"),
    Case(
      fault: "publishes an event of the agent's", text: "\"info\", greeting",
      change: "\"info\", \"\"); host->publish(host, \"task-ready\", NULL, NULL); host->log(host, \"info\", greeting",
      step: "its own requests", got: "task-ready is the agent's own"),
    Case(
      fault: "doesn't end", text: "json_decref(plugin->tasks);\n  free(plugin);", change: "for (;;) sleep(1);",
      step: "end", got: "that they did not"),
    Case(
      fault: "leaves a process behind", text: "json_decref(plugin->tasks);\n  free(plugin);",
      change: "if (!fork()) execlp(\"sleep\", \"sleep\", \"1000\", NULL);", step: "end", got: "which ran on"),
  ]

  @Test("What a library does wrong is found", arguments: cases)
  func departures(_ fault: Case) throws {
    let folder = try AgentFolder()
    let variables = ["RINGI_CONFIG": folder.config]
    let new = try Program.run("ringi", ["plugin", "new", "p", "--language", "c"], environment: variables)
    try #require(new.status == 0)
    let path = "\(folder.config)/plugins.d/p/plugin.c"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try #require(text.contains(fault.text))
    let changed = "#include <unistd.h>\n" + text.replacingOccurrences(of: fault.text, with: fault.change)
    try folder.write("plugins.d/p/plugin.c", "#define _GNU_SOURCE\n" + changed)
    let build = try Program.run("sh", ["\(folder.config)/plugins.d/p/build.sh"])
    try #require(build.status == 0, "\(build.errors)")
    let run = try Program.run(
      "ringi", ["plugin", "check", "p", "--timeout", fault.timeout, "--json"], environment: variables)
    #expect(run.status == 1, "\(run)")
    let report = try JSONValue(parsing: run.output)
    let found = report["departures"]?.array?.contains {
      $0["step"]?.string == fault.step && $0["got"]?.string?.contains(fault.got) == true
    }
    #expect(found == true, "\(report)")
  }

  @Test("A check that can't begin says so on standard output")
  func withoutThread() throws {
    let folder = try AgentFolder(["plugins.d/p.json": #"{"library": "./odd.so"}"#])
    try LibraryWorld.compileOdd(into: folder)
    // There is no room for the stack of a thread.
    let run = try Program.run(
      "sh",
      [
        "-c", "ulimit -s 200000000000; exec \"$@\"", "sh", Program.folder.appendingPathComponent("ringid").path,
        "--check-plugin", "\(folder.config)/plugins.d/p.json", "--json",
      ])
    #expect(run.status == 1, "\(run)")
    let report = try JSONValue(parsing: run.output)
    #expect(report["departures"]?[0]?["expected"] == "a check that can begin", "\(report)")
  }

  @Test("Of a library that was not built it is told what builds it")
  func unbuilt() throws {
    let folder = try AgentFolder()
    let variables = ["RINGI_CONFIG": folder.config]
    let new = try Program.run("ringi", ["plugin", "new", "p", "--language", "c"], environment: variables)
    try #require(new.status == 0)
    let run = try Program.run("ringi", ["plugin", "check", "p"], environment: variables)
    #expect(run.status == 1)
    #expect(
      run.output.contains("plugins.d/p/plugin.so; \(folder.config)/plugins.d/p/build.sh builds it."), "\(run.output)")
  }
}
