import Sandbox
import Testing

@Suite struct SandboxArgumentsTests {
  @Test func readsAllOptions() throws {
    let arguments = try SandboxArguments([
      "--set", "privilegesCode=false", "sap-workflow", "--env", "sbpa", "--port", "8080", "--until-stdin-closes",
      "--set", "latency=tick", "--tls-certificate", "c", "--tls-key", "k",
    ])
    #expect(arguments.configuration.environment == .sbpa)
    #expect(arguments.configuration.switches.latency == .nextTick)
    #expect(!arguments.configuration.switches.privilegesCode)
    #expect(arguments.port == 8080)
    #expect(arguments.endsWithStdin)
    #expect(arguments.certificateFile == "c")
  }

  @Test(arguments: [
    ["--bogus"], [], ["servicenow"], ["sap-workflow", "--port"], ["sap-workflow", "--port", "70000"],
    ["sap-workflow", "--env", "azure"], ["sap-workflow", "--set", "latency"], ["sap-workflow", "--set", "a=b"],
    ["sap-workflow", "--set", "latency=soon"], ["sap-workflow", "--tls-key", "k"], ["sap-workflow", "x"],
  ])
  func refusesWhatMakesNoSense(words: [String]) {
    #expect(throws: SandboxArguments.UsageError.self) { try SandboxArguments(words) }
  }

  @Test func helpNeedsNothingElseAndNamesEverySwitch() throws {
    #expect(try SandboxArguments(["--help"]).wantsHelp)
    for (name, _) in SAPSwitches().texts { #expect(SandboxArguments.help.contains(name + "=")) }
  }

  @Test func namesTheFileThatCannotBeRead() throws {
    let arguments = try SandboxArguments(["sap-workflow", "--tls-certificate", "/nowhere/c", "--tls-key", "/nowhere/k"])
    let sandbox = SAPWorkflowSandbox(arguments.configuration)
    #expect(throws: SandboxArguments.StartError.file("/nowhere/c", code: 2)) { try arguments.start(sandbox) }
  }
}
