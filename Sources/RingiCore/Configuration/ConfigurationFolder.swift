internal import CLinux
internal import Glibc

/// The folder of a configuration: what files there are.
struct ConfigurationFolder {
  private let path: String
  private(set) var problems: [ConfigurationProblem] = []
  /// What may be there and could not be looked at: a folder, or ringi.json.
  private(set) var unseen: Set<String> = []
  private var isThere = false

  init(_ path: String) {
    self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    var status = stat()
    if stat(self.path, &status) != 0 {
      complain(self.path, "can't be read: \(String(cString: strerror(errno)))", isWarning: errno == ENOENT)
    } else if status.st_mode & S_IFMT != S_IFDIR {
      complain(self.path, "takes a folder, and this is none")
    } else {
      isThere = true
    }
  }

  /// ringi.json, if it is there.
  mutating func agentFile() -> ConfigurationFile? {
    let name = "ringi.json"
    guard isThere else {
      unseen.insert(name)
      return nil
    }
    var status = stat()
    // A symbolic link that leads nowhere is a mistake, not an absence.
    if lstat("\(path)/\(name)", &status) != 0, errno == ENOENT { return nil }
    return ConfigurationFile(name, in: path)
  }

  /// The files of a folder inside this one, in the order of their names.
  mutating func files(in name: String) -> [ConfigurationFile] {
    let folder = "\(path)/\(name)"
    guard isThere, let directory = opendir(folder) else {
      if isThere {
        // Each part of a configuration may be left out.
        if errno == ENOENT { return [] }
        complain(folder, "can't be read: \(String(cString: strerror(errno)))")
      }
      unseen.insert(name)
      return []
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      // Editors leave hidden files and copies with other endings behind.
      if name.hasSuffix(".json"), !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted().map { ConfigurationFile($0, in: folder) }
  }

  private mutating func complain(_ file: String, _ message: String, isWarning: Bool = false) {
    problems.append(ConfigurationProblem(file: file, message: message, isWarning: isWarning))
  }
}
