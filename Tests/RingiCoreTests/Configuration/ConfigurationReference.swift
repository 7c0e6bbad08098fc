import Foundation
import JSON

@testable import RingiCore

/// The tables of keys in docs/configuration.md, as the schemas have them.
enum ConfigurationReference {
  static let page = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../docs/configuration.md").standardized

  /// The page with each table between `<!-- keys of FILE -->` and `<!-- end -->` made anew.
  static func renewed(_ page: String) -> String {
    var page = page
    for (file, schema) in schemas {
      guard let begin = page.range(of: "<!-- keys of \(file) -->\n"),
        let end = page[begin.upperBound...].range(of: "<!-- end -->")
      else { return "no table of \(file)" }
      page.replaceSubrange(begin.upperBound..<end.lowerBound, with: table(schema))
    }
    return page
  }

  private static let schemas = [
    ("ringi.json", AgentFile.schema), ("plugins.d", PluginFile.schema), ("jobs.d", JobFile.schema),
    ("hooks.d", HookFile.schema),
  ]

  private static func table(_ schema: Schema) -> String {
    let rows = rows(schema.json, "")
    return (["| key | takes | default | meaning |", "|---|---|---|---|"] + rows).map { "\($0)\n" }.joined()
  }

  private static func rows(_ schema: JSONValue, _ prefix: String) -> [String] {
    let required = schema["required"]?.array?.compactMap(\.string) ?? []
    return (schema["properties"]?.object?.keys ?? []).flatMap { key -> [String] in
      guard let property = schema["properties"]?[key] else { return [] }
      let isArray = property["items"]?["properties"] != nil
      let standard = property["default"].map { "`\($0)`" } ?? (required.contains(key) ? "required" : "")
      let meaning = (property["description"]?.string ?? "").replacing("|", with: "\\|")
      let row = "| `\(prefix)\(key)` | \(takes(property)) | \(standard) | \(meaning) |"
      return [row] + rows(isArray ? property["items"] ?? .null : property, "\(prefix)\(key)\(isArray ? "[]" : "").")
    }
  }

  private static func takes(_ schema: JSONValue) -> String {
    if let values = schema["enum"]?.array { return values.map { "`\($0)`" }.joined(separator: ", ") }
    if schema["x-duration"] == true { return "duration" }
    if let choices = schema["anyOf"]?.array { return choices.map(takes).joined(separator: " or ") }
    let type = schema["type"]?.string ?? "any"
    switch type {
    case "array":
      let items = schema["items"].map(takes) ?? "any"
      return items == "any" ? "array" : "array of \(items)s"
    case "integer":
      return "integer, \(schema["minimum"] ?? "")…\(schema["maximum"] ?? "")"
    default:
      return type
    }
  }
}
