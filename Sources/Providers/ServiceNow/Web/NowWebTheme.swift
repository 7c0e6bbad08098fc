internal import RingiKit

/// A theme as the Mobile SDK's `NowWebColoring` has it, and the style sheet that stands for it.
struct NowWebTheme {
  /// The elements that are colours, in the order of the SDK's documentation.
  static let colors = [
    "alertCritical0", "alertCritical3", "alertLow0", "alertPositive0", "alertPositive3", "alertWarning0",
    "backgroundPrimary", "brand", "primary", "screenHeaderBackground", "screenHeaderText", "textActionable",
    "textPrimary",
  ]
  /// The SDK's own spelling of `textActionable`.
  static let misspelt = "textActionble"
  /// The elements that are sys_ids, of a `sys_ux_theme` and a `sys_ux_style`.
  static let ids = ["webPageThemeId", "webPageThemeVariantId"]

  static let schema = Schema.object(
    properties: (colors + [misspelt]).sorted().map {
      ($0, .string("A colour: #RGB, #RRGGBB or #RRGGBBAA.", minLength: 4, maxLength: 9))
    } + ids.map { ($0, .string("A sys_id.", minLength: 32, maxLength: 32)) }
  ).described("Colours for the page, by the names of the Mobile SDK's NowWebColoring.")

  /// The style sheet.
  let css: String

  /// Reads a theme.
  ///
  /// - Throws: `RPCError` (invalid-params) that names the element, for a value that is no colour or no sys_id: nothing
  ///   else gets into the style sheet.
  init(_ json: JSONValue) throws {
    var values: [String: String] = [:]
    for member in json.object.map(Array.init) ?? [] {
      let (name, value) = (member.key, member.value)
      let text = value.string ?? ""
      let isID = Self.ids.contains(name)
      guard isID ? Self.isID(text) : Self.isColor(text) else {
        let taken = isID ? "a sys_id, 32 lower-case hexadecimal digits" : "a colour: #RGB, #RRGGBB or #RRGGBBAA"
        throw RPCError.invalidParams(
          "theme.\(name) got \(text.debugDescription), but takes \(taken).",
          details: ["parameter": JSONValue("theme.\(name)")])
      }
      values[name] = text
    }
    if let text = values.removeValue(forKey: Self.misspelt), values["textActionable"] == nil {
      values["textActionable"] = text
    }
    css = Self.sheet(values)
  }

  private static func isColor(_ text: String) -> Bool {
    text.utf8.first == UInt8(ascii: "#") && [4, 7, 9].contains(text.utf8.count)
      && text.utf8.dropFirst().allSatisfy(isHex)
  }

  private static func isID(_ text: String) -> Bool {
    text.utf8.count == 32 && text.utf8.allSatisfy { isHex($0) && !(UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0) }
  }

  private static func isHex(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }

  // MARK: The sheet

  /// Which of a page's elements take an element of the theme, and as what.
  private static let rules: [(element: String, selectors: String, properties: [String])] = [
    ("backgroundPrimary", "html, body, main, .page-bg", ["background-color"]),
    (
      "textPrimary", "body, p, td, th, li, dt, dd, label, legend, h1, h2, h3, h4, h5, h6, input, select, textarea",
      ["color"]
    ),
    ("backgroundPrimary", "input, select, textarea", ["background-color"]),
    ("primary", "a, a:visited", ["color"]),
    ("brand", ":root", ["accent-color"]),
    ("screenHeaderBackground", "header, [role=banner], .navbar", ["background-color"]),
    ("screenHeaderText", "header, header *, [role=banner], [role=banner] *, .navbar, .navbar *", ["color"]),
    (
      "primary", "button, input[type=submit], input[type=button], [role=button], .btn",
      ["background-color", "border-color"]
    ),
    ("textActionable", "button, input[type=submit], input[type=button], [role=button], .btn", ["color"]),
    ("alertCritical0", "[role=alert], .alert-danger, .outputmsg_error", ["background-color"]),
    ("alertCritical3", "[role=alert], .alert-danger, .outputmsg_error", ["color", "border-color"]),
    ("alertWarning0", ".alert-warning, .outputmsg_warning", ["background-color"]),
    ("alertPositive0", ".alert-success, .outputmsg_success", ["background-color"]),
    ("alertPositive3", ".alert-success, .outputmsg_success", ["color", "border-color"]),
    ("alertLow0", ".alert-info, .outputmsg_info", ["background-color"]),
  ]

  private static func sheet(_ values: [String: String]) -> String {
    let properties = (colors + ids).compactMap { name in
      values[name].map { "  \(property(name)): \(ids.contains(name) ? "\"\($0)\"" : $0);\n" }
    }
    var css = properties.isEmpty ? "" : ":root {\n\(properties.joined())}\n"
    for rule in rules where values[rule.element] != nil {
      let body = rule.properties.map { "\($0): var(\(property(rule.element))) !important" }.joined(separator: "; ")
      css += "\(rule.selectors) { \(body) }\n"
    }
    return css
  }

  /// `--now-web-background-primary` for `backgroundPrimary`.
  private static func property(_ name: String) -> String {
    "--now-web-" + name.map { $0.isUppercase ? "-\($0.lowercased())" : String($0) }.joined()
  }
}
