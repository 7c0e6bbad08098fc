internal import RingiKit

/// A part of an instance's settings with its place, so that an error can name it.
struct SettingsPart {
  let json: JSONValue
  let place: JSONPointer

  init(_ json: JSONValue, at place: JSONPointer = .root) {
    self.json = json
    self.place = place
  }

  func fault(_ message: String) -> SettingsError { SettingsError(at: place, message) }

  /// The error about a member, which it begins with.
  func fault(_ name: String, _ message: String) -> SettingsError {
    SettingsError(at: place.appending(name), "\(name): \(message)")
  }

  func part(_ name: String) -> SettingsPart? {
    json[name].map { SettingsPart($0, at: place.appending(name)) }
  }

  func text(_ name: String) -> String? { json[name]?.string }

  /// The texts of an array, none where it is missing.
  func texts(_ name: String) -> [String] { json[name]?.array?.compactMap(\.string) ?? [] }

  /// The members of an object, in their order.
  func members(_ name: String) -> [(name: String, part: SettingsPart)] {
    guard let part = part(name), let object = part.json.object else { return [] }
    return object.map { ($0.key, SettingsPart($0.value, at: part.place.appending($0.key))) }
  }

  /// A JSON pointer; nil where it is missing.
  func pointer(_ name: String) throws(SettingsError) -> JSONPointer? {
    guard let text = text(name) else { return nil }
    guard let pointer = JSONPointer(text) else {
      throw fault(name, "\(text.debugDescription) is no JSON pointer; it takes one such as \"/data/id\"")
    }
    return pointer
  }

  /// The name of a header; nil where it is missing.
  func header(_ name: String) throws(SettingsError) -> String? {
    guard let text = text(name) else { return nil }
    guard HTTPHeaders.isName(text) else { throw fault(name, "\(text.debugDescription) can't be the name of a header") }
    return text
  }

  /// An address with nothing after its path.
  func url(_ name: String) throws(SettingsError) -> HTTPURL {
    do {
      return try HTTPURL(base: text(name) ?? "")
    } catch {
      throw fault(name, "\(error); it takes an address such as https://host/path")
    }
  }
}
