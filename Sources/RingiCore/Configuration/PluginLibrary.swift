internal import NativeLibrary

/// The shared library of a plugin instance, as its file names it.
package struct PluginLibrary: Equatable, Sendable {
  /// Absolute, so that it is found where it says and nowhere else.
  package let path: String
  /// A library that was replaced makes another plugin.
  private let stamp: FileStamp?

  init(_ name: String, in directory: String) {
    path = name.hasPrefix("/") ? name : "\(directory)/\(name)"
    stamp = FileStamp(path)
  }
}
