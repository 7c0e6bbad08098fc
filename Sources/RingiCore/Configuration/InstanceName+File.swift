internal import JSON
internal import RingiModel

extension InstanceName {
  /// The name that a file of plugins.d claims; what can't be one is complained of.
  static func read(_ file: inout ConfigurationFile) -> String {
    let name = file.value["name"]?.string ?? file.name
    if let fault = fault(in: name) {
      let advice = isReserved(name) ? "" : "; rename the file, or set \"name\""
      file.complain(at: place(in: file), "the name \(JSONValue(name)) \(fault)\(advice)")
    }
    return name
  }

  /// Where a file claims its name.
  static func place(in file: ConfigurationFile) -> JSONPointer {
    file.value["name"] == nil ? .root : JSONPointer.root.appending("name")
  }
}
