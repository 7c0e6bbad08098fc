internal import RingiKit

/// One param of an operation, and where it goes.
struct RESTParam {
  enum Place: String, CaseIterable { case path, query, header, body }

  /// Its name in the method.
  let name: String
  /// Its name in the request.
  let wire: String
  let place: Place
  let schema: Schema

  /// Reads a param: a schema with the members `in` and `wire` of our own.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - part: The schema.
  ///   - standard: Where it goes unless the settings say.
  ///   - names: How its name is written by the service unless the settings say.
  /// - Throws: `SettingsError`.
  init(_ name: String, _ part: SettingsPart, standard: Place, names: RESTNames) throws(SettingsError) {
    self.name = name
    let place = part.text("in").flatMap(Place.init)
    guard place != nil || part.json["in"] == nil else {
      throw part.fault("in", "it takes \(Place.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    guard standard != .path || place == nil || place == .path else {
      throw part.fault("in", "the param stands in the path")
    }
    guard place != .path || standard == .path else { throw part.fault("in", "the path has no {\(name)}") }
    self.place = place ?? standard
    if let wire = part.text("wire") {
      self.wire = wire
    } else {
      guard names.isReversible(name) else {
        throw part.fault(
          "the name \(name) would come back as \(names.local(names.wire(name))): write it so, or set wire to the service's own"
        )
      }
      wire = names.wire(name)
    }
    guard self.place != .header || HTTPHeaders.isName(wire) else {
      throw part.fault("\(wire.debugDescription) can't be the name of a header; set wire")
    }
    do {
      schema = try Schema(json: part.json.setting("in", to: nil).setting("wire", to: nil))
    } catch {
      throw SettingsError(at: JSONPointer(tokens: part.place.tokens + error.pointer.tokens), error.message)
    }
  }

  /// A value as text, of a path, a query, a header or a form; several of an array.
  ///
  /// - Returns: The texts; null is an empty one, which clears a field.
  /// - Throws: `RPCError` (invalid-params) for what has no such form.
  func texts(_ value: JSONValue) throws(RPCError) -> [String] {
    guard let array = value.array else { return [try text(value)] }
    var texts: [String] = []
    for element in array { texts.append(try text(element)) }
    return texts
  }

  func text(_ value: JSONValue) throws(RPCError) -> String {
    switch value.kind {
    case .null: return ""
    case .string: return value.string ?? ""
    case .bool, .integer, .real: return value.description
    case .array, .object:
      throw .invalidParams("\(name) got \(value.kind.rawValue) inside, but the \(place.rawValue) takes plain values.")
    }
  }
}
