import RingiTestSupport
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

  @Test func eachBackendHasItsSwitchesAndItsSandbox() throws {
    let todoist = try SandboxArguments(["--set", "closeStatus=200", "todoist"])
    #expect(todoist.todoist.switches.closeStatus == 200 && todoist.sandbox is TodoistSandbox)
    let wunderlist = try SandboxArguments(["--set", "recurrence=reopen", "wunderlist"])
    #expect(wunderlist.wunderlist.switches.recurrence == .reopen && wunderlist.sandbox is WunderlistSandbox)
  }

  @Test func eachBackendHasSwitchesOfItsOwn() throws {
    let arguments = try SandboxArguments(["users-api", "--set", "patch_multipart=parse"])
    #expect(arguments.backend == .usersAPI && arguments.usersAPI.switches.patchMultipart == .parse)
    #expect(throws: SandboxArguments.UsageError.self) {
      try SandboxArguments(["users-api", "--set", "nullStyle=omit"])
    }
  }

  @Test(arguments: [
    ["todoist", "--set", "latency=tick"], ["wunderlist", "--set", "validationStatus=500"], ["--bogus"], [],
    ["remedy"], ["sap-workflow", "--port"], ["sap-workflow", "--port", "70000"],
    ["sap-workflow", "--env", "azure"], ["sap-workflow", "--set", "latency"], ["sap-workflow", "--set", "a=b"],
    ["sap-workflow", "--set", "latency=soon"], ["sap-workflow", "--tls-key", "k"], ["sap-workflow", "x"],
  ])
  func refusesWhatMakesNoSense(words: [String]) {
    #expect(throws: SandboxArguments.UsageError.self) { try SandboxArguments(words) }
  }

  @Test func switchesAreThoseOfTheBackendThatIsNamed() throws {
    let arguments = try SandboxArguments(["--set", "finalPatch=overwrite_200", "servicenow"])
    #expect(arguments.backend == .serviceNow && arguments.serviceNow.switches.finalPatch == .overwrite)
    #expect(throws: SandboxArguments.UsageError.self) {
      try SandboxArguments(["sap-workflow", "--set", "finalPatch=overwrite_200"])
    }
  }

  @Test func helpNeedsNothingElseAndNamesEverySwitch() throws {
    #expect(try SandboxArguments(["--help"]).wantsHelp)
    let switches = [
      CuramSwitches().texts, SAPSwitches().texts, ServiceNowSwitches().texts, TodoistSwitches().texts,
      UsersAPISwitches().texts, WunderlistSwitches().texts,
    ]
    // A name that several backends have is there for each of them.
    var names: [String: Int] = [:]
    for (name, _) in switches.joined() { names[name, default: 0] += 1 }
    let words = SandboxArguments.help.split { " \n,(".contains($0) }
    for (name, count) in names {
      #expect(words.count { $0.hasPrefix(name + "=") } == count, "\(name)")
    }
  }

  @Test func namesTheFileThatCannotBeRead() throws {
    let arguments = try SandboxArguments(["sap-workflow", "--tls-certificate", "/nowhere/c", "--tls-key", "/nowhere/k"])
    let sandbox = SAPWorkflowSandbox(arguments.configuration)
    #expect(throws: SandboxArguments.StartError.file("/nowhere/c", code: 2)) { try arguments.start(sandbox) }
  }
}
