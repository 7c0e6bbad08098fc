internal import RingiKit

/// The settings of all backends that speak HTTP: how long a request may take, and which certificates count.
struct ConnectionSettings {
  let tls: TLSSettings
  let timeouts: HTTPRequest.Timeouts

  static let properties: [(name: String, schema: Schema)] = [
    (
      "timeouts",
      .object(
        "How long a request may take.",
        [
          "connect": .duration("Until the connection is ready.").default("10s"),
          "idle": .duration("Without a byte.").default("30s"),
          "total": .duration("Altogether.").default("60s"),
        ])
    ),
    (
      "tls",
      .object(
        "Certificates; a relative path starts from the folder of this file.",
        [
          "authorityFile": .string("PEM file of authorities to trust instead of the system's."),
          "authorityDirectory": .string("Directory of such authorities."),
          "clientCertificate": .string("PEM file with our certificate."),
          "clientKey": .string("PEM file with its key."),
        ])
    ),
  ]

  /// Reads the members `timeouts` and `tls` of an instance's settings.
  ///
  /// - Parameters:
  ///   - json: The settings.
  ///   - directory: Where relative paths start from.
  /// - Throws: `SettingsError`.
  init(_ json: JSONValue, directory: String) throws(SettingsError) {
    func path(_ name: String) -> String? {
      json["tls"]?[name]?.string.map { $0.hasPrefix("/") ? $0 : "\(directory)/\($0)" }
    }
    tls = TLSSettings(
      authorityFile: path("authorityFile"), authorityDirectory: path("authorityDirectory"),
      clientCertificate: path("clientCertificate"), clientKey: path("clientKey"))
    timeouts = try Self.timeouts(json["timeouts"])
  }

  /// What reaches the network with these settings; each instance has its own.
  @Loop
  func client() -> RefusalClient { RefusalClient(CurlClient(tls: tls, userAgent: "Ringi/\(Version.current)")) }

  private static func timeouts(_ json: JSONValue?) throws(SettingsError) -> HTTPRequest.Timeouts {
    var timeouts = HTTPRequest.Timeouts()
    func place(_ name: String) -> JSONPointer { JSONPointer.root.appending("timeouts").appending(name) }
    func read(_ name: String, _ target: inout Duration) throws(SettingsError) {
      guard let text = json?[name]?.string else { return }
      do {
        target = try DurationText.parse(text)
      } catch {
        throw SettingsError(at: place(name), "\(error)")
      }
      guard target > .zero else { throw SettingsError(at: place(name), "\(name): it takes more than no time") }
    }
    try read("connect", &timeouts.connect)
    try read("idle", &timeouts.idle)
    try read("total", &timeouts.total)
    return timeouts
  }
}

extension HTTPURL.Origin {
  /// Whether it is this machine, where nobody else listens in.
  var isLoopback: Bool { ["127.0.0.1", "[::1]", "localhost"].contains(host) }
}

extension HTTPURL {
  /// Reads a setting that is an address.
  ///
  /// - Parameters:
  ///   - name: The setting.
  ///   - json: The settings.
  /// - Throws: `SettingsError` that points at it.
  init(setting name: String, of json: JSONValue) throws(SettingsError) {
    do {
      try self.init(base: json[name]?.string ?? "")
    } catch {
      throw SettingsError(
        at: JSONPointer.root.appending(name), "\(name): \(error); it takes an address such as https://host/path")
    }
  }
}
