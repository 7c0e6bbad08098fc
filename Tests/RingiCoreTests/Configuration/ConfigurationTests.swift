import JSON
import RingiKit
import RingiTestSupport
import Testing
import Timing

@testable import RingiCore

struct ConfigurationTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func read() -> Configuration.Reading {
    Configuration.read(directory: folder.path, providers: [ShopProvider.self])
  }

  private let shop = #"{"provider": "shop", "settings": {"url": "x"}}"#

  // MARK: What a file says

  @Test func theAgentsFileSaysWhereToListen() throws {
    try folder.put(
      "ringi.json",
      """
      {"listen": [{"socket": "/run/a", "mode": "0660", "group": "root", "allow": ["tasks.*"]}, {"socket": "b.sock"}],
       "log": {"level": "debug", "format": "json"}, "limits": {"batch": 7, "requestTimeout": "2m"}}
      """)
    let agent = read().configuration.agent
    #expect(agent.listen.map(\.path) == ["/run/a", "\(folder.path)/b.sock"])
    #expect(agent.listen[0].mode == 0o660)
    #expect(agent.listen[0].group == "root")
    #expect(agent.listen[0].allow == [Glob("tasks.*")])
    #expect(agent.listen[1].mode == 0o600)
    #expect(agent.listen[1].allow == nil)
    #expect(agent.logLevel == .debug)
    #expect(agent.logFormat == .json)
    #expect(agent.limits.batch == 7)
    #expect(agent.limits.requestTimeout == .seconds(120))
    #expect(agent.limits.depth == 256)
  }

  @Test func aPhraseMayBeSaidInSeveralWays() throws {
    try folder.put(
      "ringi.json", #"{"phrases": [{"say": ["a", "b"], "call": "m", "params": [1]}, {"say": "c", "call": "n"}]}"#)
    #expect(
      read().configuration.agent.phrases == [
        Phrase(say: "a", call: "m", params: [1]), Phrase(say: "b", call: "m", params: [1]), Phrase(say: "c", call: "n"),
      ])
  }

  @Test func aPluginsFileIsReadWithItsDefaults() throws {
    try folder.put("plugins.d/sap.json", shop)
    let plugin = try #require(read().configuration.plugins.first)
    #expect(plugin.instance == "sap")
    #expect(plugin.provider == "shop")
    #expect(plugin.directory == "\(folder.path)/plugins.d")
    #expect(plugin.isEnabled)
    #expect(plugin.poll == PluginFile.standardPoll)
    #expect(plugin.firstPoll == .announce)
    #expect(plugin.settings == ["url": "x"])
  }

  @Test func aPluginsFileMayNameItsInstance() throws {
    try folder.put("plugins.d/a.json", #"{"provider": "shop", "name": "sap", "settings": {"url": "x"}}"#)
    #expect(read().configuration.plugins.map(\.instance) == ["sap"])
  }

  @Test func aJobsFileIsRead() throws {
    try folder.put(
      "jobs.d/report.json",
      #"{"call": "m", "params": {"a": 1}, "cron": "0 9 * * 1", "timezone": "Asia/Tokyo", "misfire": "skip", "timeout": "5m", "jitter": "1m"}"#
    )
    let job = try #require(read().configuration.jobs.first)
    #expect(job.name == "report")
    #expect(job.call == "m")
    #expect(job.params == ["a": 1])
    #expect(job.schedule.description == "0 9 * * 1 Asia/Tokyo")
    #expect(job.schedule.next(after: Timestamp(seconds: 1_795_996_800)) == Timestamp(rfc3339: "2026-12-07T00:00:00Z"))
    #expect(job.misfire == .skip)
    #expect(job.timeout == .seconds(300))
    #expect(job.jitter == .seconds(60))
    #expect(job.isEnabled)
  }

  @Test func aHooksFileIsReadWithItsDefaults() throws {
    try folder.put("hooks.d/say.json", #"{"on": ["task-ready"], "run": ["notify-send", "x"], "env": {"A": "b"}}"#)
    let hook = try #require(read().configuration.hooks.first)
    #expect(hook.name == "say")
    #expect(hook.action == .run(["notify-send", "x"]))
    #expect(hook.timeout == .seconds(30))
    #expect(hook.retries == 5)
    #expect(hook.concurrency == 1)
    #expect(hook.environment == ["A": "b"])
  }

  @Test func filesAreReadInTheOrderOfTheirNames() throws {
    for name in ["c", "a", "b"] { try folder.put("plugins.d/\(name).json", shop) }
    #expect(read().configuration.plugins.map(\.instance) == ["a", "b", "c"])
  }

  // MARK: What is wrong

  @Test func aBadFileNeverStopsTheOthers() throws {
    try folder.put("ringi.json", "{")
    try folder.put("plugins.d/a.json", "{")
    try folder.put("plugins.d/b.json", shop)
    try folder.put("jobs.d/a.json", #"{"call": "m", "every": "1m"}"#)
    let reading = read()
    #expect(reading.configuration.plugins.map(\.instance) == ["b"])
    #expect(reading.configuration.jobs.map(\.name) == ["a"])
    #expect(reading.configuration.agent == AgentFile())
    #expect(reading.problems.count == 2)
  }

  @Test func aFolderThatIsNotThereConfiguresNothingAndIsWarnedOf() {
    let reading = Configuration.read(directory: "\(folder.path)/none", providers: [])
    #expect(reading.configuration == Configuration())
    #expect(reading.problems.map(\.isWarning) == [true])
  }

  @Test func aFileThatIsTooLongIsNotRead() throws {
    try folder.put("ringi.json", String(repeating: " ", count: 4 << 20 | 1))
    #expect(read().problems.map(\.message) == ["can't be read: it is longer than 4 MiB"])
  }

  @Test func aPipeInPlaceOfAFileHoldsNobodyUp() throws {
    try folder.makePipe("ringi.json")
    #expect(read().problems.map(\.message) == ["can't be read: it is no regular file"])
  }

  // MARK: Reading again

  @Test func whiteSpaceAndTheOrderOfKeysAreNoChange() throws {
    try folder.put("plugins.d/a.json", shop)
    let old = read().configuration
    try folder.put("plugins.d/a.json", "{\n  \"settings\": {\"url\": \"x\"},\n  \"provider\": \"shop\"\n}\n")
    #expect(read().configuration == old)
  }

  @Test func aBrokenFileLeavesInForceWhatItSaidBefore() throws {
    try folder.put("ringi.json", #"{"log": {"level": "debug"}}"#)
    try folder.put("plugins.d/a.json", shop)
    try folder.put("plugins.d/b.json", shop)
    try folder.put("jobs.d/a.json", #"{"call": "m", "every": "1m"}"#)
    try folder.put("hooks.d/a.json", #"{"on": ["*"], "shell": "true"}"#)
    let old = read().configuration
    for name in ["ringi.json", "plugins.d/a.json", "jobs.d/a.json", "hooks.d/a.json"] {
      try folder.put(name, #"{"oops": "#)
    }
    try folder.put("plugins.d/c.json", shop)
    let reading = read()
    #expect(reading.problems.count == 4)
    let merged = reading.keeping(old)
    #expect(merged.agent == old.agent)
    #expect(merged.plugins.map(\.instance) == ["a", "b", "c"])
    #expect(merged.jobs == old.jobs)
    #expect(merged.hooks == old.hooks)
  }

  @Test func aFileThatIsGoneIsNoLongerInForce() throws {
    try folder.put("plugins.d/a.json", shop)
    try folder.put("hooks.d/a.json", #"{"on": ["*"], "shell": "true"}"#)
    let old = read().configuration
    try folder.remove("plugins.d/a.json")
    try folder.remove("hooks.d/a.json")
    #expect(read().keeping(old) == Configuration())
  }

  @Test func aNameThatAnotherFileTookMeanwhileIsNotKeptTwice() throws {
    try folder.put("plugins.d/a.json", #"{"provider": "shop", "name": "sap", "settings": {"url": "x"}}"#)
    let old = read().configuration
    try folder.put("plugins.d/a.json", "{")
    try folder.put("plugins.d/b.json", #"{"provider": "shop", "name": "sap", "settings": {"url": "y"}}"#)
    let merged = read().keeping(old)
    #expect(merged.plugins.map(\.path) == ["\(folder.path)/plugins.d/b.json"])
  }

  @Test func aFolderThatCannotBeListedLeavesItsFilesInForce() throws {
    try folder.put("plugins.d/a.json", shop)
    let old = read().configuration
    try folder.remove("plugins.d")
    try folder.put("plugins.d", "no folder")
    #expect(read().keeping(old).plugins == old.plugins)
  }

  @Test func aConfigurationThatVanishedStaysInForce() throws {
    try folder.put("ringi.json", #"{"log": {"level": "debug"}}"#)
    try folder.put("plugins.d/a.json", shop)
    let old = read().configuration
    try folder.remove("")
    #expect(read().keeping(old) == old)
  }
}
