internal import CRingiPlugin
package import JSON

/// An instance that a library has made.
///
/// `@unchecked Sendable`: the pointer is the library's, which takes calls from the threads that ringi_plugin.h names; the
/// caller keeps to them.
package final class NativeInstance: @unchecked Sendable {
  private static let errorSize = 1024

  private let library: NativeLibrary
  private let host: NativeHost
  private let plugin: UnsafeMutableRawPointer

  /// The library made no instance; in its own words.
  package struct Refusal: Error, CustomStringConvertible {
    package let description: String
  }

  /// Makes an instance; may wait.
  ///
  /// - Parameters:
  ///   - library: What makes it.
  ///   - settings: Settings that fit its schema.
  ///   - host: What the agent offers to it; lives until ``destroy()`` has returned.
  /// - Throws: ``Refusal``.
  package init(_ library: NativeLibrary, settings: JSONValue, host: NativeHost) throws(Refusal) {
    var message = [CChar](repeating: 0, count: Self.errorSize)
    let made = settings.withReference { library.create(host.pointer, $0, &message, Self.errorSize) }
    guard let made else {
      let text = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      throw Refusal(description: text.isEmpty ? "ringi_plugin_create failed, and said nothing." : text)
    }
    (self.library, self.host, plugin) = (library, host, made)
  }

  /// Calls a method; the answer goes to the host.
  package func call(_ method: String, _ params: JSONValue, _ call: Int) {
    params.withReference { library.call(plugin, method, $0, UInt64(call)) }
  }

  /// Ends the instance, after which nothing of it may be called; may wait.
  package func destroy() { library.destroy(plugin) }
}
