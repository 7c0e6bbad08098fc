import Foundation
import PluginTemplates
import Testing
import Text

@testable import RingiClient

/// `ringi plugin new`; what it writes is run by the end-to-end tests, and so is `ringi plugin check`.
@Suite struct PluginCommandTests {
  /// A configuration folder of a test's own, which is not there yet.
  private let config = FileManager.default.temporaryDirectory.appendingPathComponent("ringi-\(UUID().uuidString)").path

  private func run(_ arguments: String...) throws -> Ringi {
    try Ringi.run(["plugin"] + arguments, environment: ["RINGI_CONFIG": config])
  }

  private func files(_ folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? []
  }

  @Test(arguments: PluginTemplate.all.map(\.language))
  func aNewPluginIsAFileOfPluginsDAndAFolderBesideIt(language: String) throws {
    defer { try? FileManager.default.removeItem(atPath: config) }
    let run = try run("new", "todo", "--language", language)
    #expect(run.code == .success)
    #expect(files("\(config)/plugins.d") == ["todo", "todo.json"])
    for name in files("\(config)/plugins.d/todo") {
      let text = try String(contentsOfFile: "\(config)/plugins.d/todo/\(name)", encoding: .utf8)
      #expect(!text.contains("@NAME@") && !text.isEmpty)
      #expect(run.output.contains("Written: \(config)/plugins.d/todo/\(name)\n"))
    }
    #expect(run.output.contains("ringi plugin check todo "))
  }

  @Test func anotherDirectoryIsWrittenToWhereOneIsGiven() throws {
    defer { try? FileManager.default.removeItem(atPath: config) }
    let run = try run("new", "todo", "--language", "sh", "--directory", "\(config)/mine/")
    #expect(run.code == .success)
    #expect(files("\(config)/mine") == ["todo", "todo.json"])
    #expect(run.output.contains("ringi plugin check \(config)/mine/todo.json "))
  }

  @Test(arguments: ["todo.json", "todo/other"])
  func whatIsThereIsNotTouched(path: String) throws {
    defer { try? FileManager.default.removeItem(atPath: config) }
    let file = URL(fileURLWithPath: "\(config)/plugins.d/\(path)")
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: file)
    let before = files("\(config)/plugins.d")
    let run = try run("new", "todo", "--language", "sh")
    #expect(run.code == .conflict)
    #expect(run.errors.contains("is there already, and nothing was written"))
    #expect(files("\(config)/plugins.d") == before)
    #expect(try Data(contentsOf: file) == Data("mine".utf8))
  }

  @Test func nothingIsLeftOfOneThatCantBeWrittenToItsEnd() throws {
    defer { try? FileManager.default.removeItem(atPath: config) }
    // plugin.py comes to the longest path that there can be, and ringi_plugin.py after it to a longer one.
    let length = 4095 - "/todo/plugin.py".utf8.count
    var folder = config
    while folder.utf8.count < length {
      folder += "/" + String(repeating: "a", count: min(200, max(1, length - folder.utf8.count - 1)))
    }
    try #require(folder.utf8.count == length)
    let run = try run("new", "todo", "--language", "python", "--directory", folder)
    #expect(run.code == .output)
    #expect(run.errors.contains("ringi_plugin.py can't be written: File name too long"))
    #expect(!FileManager.default.fileExists(atPath: config))
  }

  @Test(arguments: ["tasks", "9lives", "a/b", "../x", "größe", ""])
  func aNameThatNoInstanceCanHaveIsRefused(name: String) throws {
    let run = try run("new", name, "--language", "sh")
    #expect(run.code == .usage)
    #expect(!FileManager.default.fileExists(atPath: config))
  }

  @Test func theLanguagesAreNamedToWhomNeedsThem() throws {
    for arguments in [["new", "todo"], ["new", "todo", "--language", "cobol"]] {
      let run = try Ringi.run(["plugin"] + arguments, environment: ["RINGI_CONFIG": config])
      #expect(run.code == .usage)
      for template in PluginTemplate.all { #expect(run.errors.contains(template.language)) }
    }
    #expect(try run("old", "todo").code == .usage)
  }

  @Test func eachOfTheTwoExplainsItself() throws {
    let new = try run("new", "--help").output
    #expect(new.hasPrefix("Usage: ringi plugin new NAME --language WORD [OPTIONS]\n"))
    #expect(new.contains("\n  --language WORD ") && !new.contains("plugin check"))
    let check = try run("check", "--help").output
    #expect(check.hasPrefix("Usage: ringi plugin check PLUGIN [OPTIONS]\n"))
    #expect(!check.contains("--language") && !check.contains("plugin new"))
    #expect(try Ringi.run("help", "plugin", "check").output == check)
    let both = try run("--help").output
    #expect(both.contains("\n  plugin new NAME --language WORD  Writes") && both.contains("\n  plugin check PLUGIN "))
  }

  @Test func theNextStepsFitTheTerminal() throws {
    defer { try? FileManager.default.removeItem(atPath: config) }
    let run = try Ringi.run(
      "plugin", "new", "todo", "--language", "c", "--color", "never", columns: 60, environment: ["RINGI_CONFIG": config]
    )
    let next = run.lines.drop { $0 != "Next:" }.filter { !$0.contains(config) }
    #expect(next.contains("  ringi reload"), "\(run.output)")
    for line in next { #expect(displayWidth(of: line) <= 60, "\(line)") }
  }
}
