internal import JSON

/// `listen` of ringi.json.
enum ListenerSettings {
  static let schema = Schema.object(
    [
      "socket": .string("The socket's path; a relative one starts from ringi.json's folder.", minLength: 1),
      "mode": .string("The permissions of the socket's file, in octal.").default("0600"),
      "group": .string("The group of the socket's file; the agent's own without.", minLength: 1),
      "allow": .array(
        "Globs over the methods that clients may see and call; everything without.", of: .string(minLength: 1)),
    ], required: ["socket"])

  static func read(_ file: inout ConfigurationFile) -> [Listener.Address] {
    var addresses: [Listener.Address] = []
    for index in file.value["listen"]?.array?.indices ?? 0..<0 {
      let pointer = JSONPointer.root.appending("listen").appending(index)
      guard let value = file.value[pointer: pointer],
        let path = path(value["socket"]?.string, &file, pointer.appending("socket"))
      else { continue }
      if addresses.contains(where: { $0.path == path }) {
        file.complain(at: pointer.appending("socket"), "another listener has this socket already; choose another")
      }
      addresses.append(
        Listener.Address(
          path: path, mode: mode(value["mode"]?.string, &file, pointer.appending("mode")),
          group: group(value["group"]?.string, &file, pointer.appending("group")),
          allow: value["allow"]?.array.map { $0.compactMap(\.string).map { Glob($0) } }))
    }
    return addresses
  }

  private static func path(
    _ text: String?, _ file: inout ConfigurationFile, _ pointer: JSONPointer
  ) -> String? {
    guard let text, !text.isEmpty else { return nil }
    let path = text.hasPrefix("/") ? text : "\(file.directory)/\(text)"
    file.refuseNUL(at: pointer)
    if path.utf8.count > UnixSocket.maxPathBytes {
      file.complain(at: pointer, UnixSocket.BindError.pathTooLong(path).description)
    }
    return path
  }

  private static func mode(
    _ text: String?, _ file: inout ConfigurationFile, _ pointer: JSONPointer
  ) -> UInt32 {
    guard let text else { return 0o600 }
    let isOctal = (3...4).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x37).contains($0) }
    guard isOctal, let mode = UInt32(text, radix: 8), mode <= 0o777 else {
      file.complain(at: pointer, "takes permissions in octal such as \"0660\", got \(JSONValue(text))")
      return 0o600
    }
    return mode
  }

  private static func group(
    _ name: String?, _ file: inout ConfigurationFile, _ pointer: JSONPointer
  ) -> String? {
    guard let name, !name.isEmpty else { return nil }
    if SystemGroup.id(of: name) == nil {
      file.complain(at: pointer, UnixSocket.BindError.unknownGroup(name).description)
    }
    return name
  }
}
