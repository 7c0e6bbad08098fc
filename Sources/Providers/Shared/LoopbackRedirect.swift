internal import RingiKit

/// Where a browser comes back to after a login: an address of this machine that is registered at the backend.
struct LoopbackRedirect {
  /// As it is registered, letter by letter.
  let text: String

  static let property: (name: String, schema: Schema) = (
    "redirectUri",
    .string("The registered callback, for ringi login, such as http://127.0.0.1:17791/callback.", minLength: 1)
  )

  /// Reads the setting `redirectUri`.
  ///
  /// - Parameter json: The instance's settings.
  /// - Throws: `SettingsError` for an address that does not lead to this machine.
  init(_ json: JSONValue) throws(SettingsError) {
    let url = try HTTPURL(setting: "redirectUri", of: json)
    guard url.origin.scheme == "http", ["127.0.0.1", "localhost"].contains(url.origin.host), url.origin.port >= 1024
    else {
      throw SettingsError(
        at: JSONPointer.root.appending("redirectUri"),
        "redirectUri takes an address of this machine with a port from 1024, such as http://127.0.0.1:17791/callback")
    }
    text = json["redirectUri"]?.string ?? ""
  }
}
