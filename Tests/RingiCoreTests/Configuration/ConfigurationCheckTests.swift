import Foundation
import RingiTestSupport
import Testing

@testable import RingiCore

/// What `--check` says, by the files in Tests/Fixtures/Configuration.
///
/// With RINGI_REWRITE_FIXTURES set, the files take on what is said now.
struct ConfigurationCheckTests {
  @Test(arguments: GoldenFile.all)
  func everyProblemIsSaidWithItsPlace(_ golden: GoldenFile) async throws {
    let folder = try TemporaryFolder()
    try golden.write(to: folder.url)
    let path = folder.path
    let problems = try await onLoop { () async throws -> [ConfigurationProblem] in
      let options = Agent.Options(
        configDirectory: path, stateDirectory: "\(path)/state", defaultSocket: "\(path)/agent.sock", environment: [:])
      let agent = Agent(options: options, providers: [ShopProvider.self], clock: TestClock())
      return try await agent.check().problems
    }
    let found = problems.map { "\($0)\n".replacing("\(path)/", with: "").replacing(path, with: ".") }.joined()
    if ProcessInfo.processInfo.environment["RINGI_REWRITE_FIXTURES"] != nil { return try golden.rewrite(found) }
    #expect(found == golden.expected)
  }

  @Test func theFixturesAreThere() {
    #expect(GoldenFile.all.count >= 20)
  }
}
