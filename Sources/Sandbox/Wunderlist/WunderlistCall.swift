internal import HTTPServer
internal import JSON

/// The JSON body of a write, and what is missing in it.
struct WunderlistCall {
  let body: JSONValue
  private(set) var missing: [(String, [String])] = []

  /// - Throws: `WunderlistError.badRequest` when it is declared as something else, or is no JSON object.
  init(_ request: ServerRequest) throws(WunderlistError) {
    let type = request.headers["Content-Type"]?.prefix { $0 != ";" && $0 != " " }.lowercased()
    guard type == "application/json", let json = try? JSONValue(parsing: request.body), json.object != nil else {
      throw .badRequest
    }
    body = json
  }

  mutating func integer(_ name: String, required: Bool = false) -> Int64? { read(name, required) { $0.int } }
  mutating func string(_ name: String, required: Bool = false) -> String? { read(name, required) { $0.string } }
  mutating func bool(_ name: String) -> Bool? { read(name, false) { $0.bool } }

  mutating func strings(_ name: String) -> [String]? {
    read(name, false) { value in
      let names = value.array.map { $0.compactMap(\.string) }
      return names?.count == value.array?.count ? names : nil
    }
  }

  /// A wrong type counts as missing, too.
  private mutating func read<Value>(_ name: String, _ required: Bool, _ convert: (JSONValue) -> Value?) -> Value? {
    guard let value = body[name], !(required && value.isNull) else {
      if required { missing.append((name, ["required", "can't be blank"])) }
      return nil
    }
    guard let converted = convert(value) else {
      missing.append((name, ["required"]))
      return nil
    }
    return converted
  }

  /// - Throws: `WunderlistError.missingParameter` for all that is missing so far.
  func check() throws(WunderlistError) {
    if !missing.isEmpty { throw .missingParameter(missing) }
  }
}
