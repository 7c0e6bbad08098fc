internal import RingiKit

extension JSONValue {
  /// The backend's own id of the record that params name by `id`.
  ///
  /// - Parameter instance: The plugin instance, whose name and a slash may stand before it.
  /// - Returns: The id.
  /// - Throws: `RPCError` (invalid-params) for none: a path would lead to the whole list.
  func ownID(of instance: String) throws(RPCError) -> String {
    let text = self["id"]?.string ?? self["id"]?.int.map { String($0) } ?? ""
    let id = text.hasPrefix("\(instance)/") ? String(text.dropFirst(instance.count + 1)) : text
    guard id.isName else { throw .invalidParams("id got \(text.debugDescription), but takes the id of a record.") }
    return id
  }
}

extension String {
  /// Whether a path can have it as the name of a record; a dot or two lead elsewhere, percent-encoded too.
  var isName: Bool { !["", ".", ".."].contains(self) }
}
