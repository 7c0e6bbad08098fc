/// Why a library can't be used; the same library will not do better.
package enum NativeLibraryError: Error, Equatable, CustomStringConvertible {
  /// The dynamic linker refuses it; its words name the file or the missing symbol.
  case unloadable(String)
  /// It lacks a function of ringi_plugin.h.
  case missing(symbol: String, path: String)
  /// It was built for another version of the interface.
  case abi(UInt32, expected: UInt32, path: String)
  /// Its file was written to while the agent had it loaded.
  case overwritten(path: String)
  /// It described nothing.
  case undescribed(path: String)

  package var description: String {
    switch self {
    case .unloadable(let reason): "The library can't be loaded: \(reason)."
    case .missing(let symbol, let path):
      "\(path) has no \(symbol); a plugin exports the functions of ringi_plugin.h."
    case .abi(let version, let expected, let path):
      "\(path) was built for version \(version) of ringi_plugin.h, and this agent takes version \(expected); build it again."
    case .overwritten(let path):
      "\(path) was overwritten while it was loaded; restart the agent. A new library gets into place by a rename, as with install or mv."
    case .undescribed(let path): "\(path): ringi_plugin_describe returned NULL, or what is no JSON."
    }
  }
}
