internal import CRingiPlugin
internal import Glibc
package import JSON

/// A shared library with the functions of ringi_plugin.h.
///
/// Once loaded it stays, since nobody can know whether something of it still runs.
package struct NativeLibrary: Sendable {
  typealias Create =
    @convention(c) (
      UnsafePointer<ringi_host>?, UnsafeMutablePointer<json_t>?, UnsafeMutablePointer<CChar>?, Int
    ) -> UnsafeMutableRawPointer?
  typealias Call =
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafeMutablePointer<json_t>?, UInt64) -> Void
  typealias Destroy = @convention(c) (UnsafeMutableRawPointer?) -> Void

  let create: Create
  let call: Call
  let destroy: Destroy
  /// What the library says it offers.
  package let description: JSONValue

  /// Loads a library; may wait for the disk.
  ///
  /// - Parameter path: An absolute path.
  /// - Throws: ``NativeLibraryError``.
  package init(_ path: String) throws(NativeLibraryError) {
    let handle = try LoadedLibraries.open(path)
    let abi: @convention(c) () -> UInt32 = try Self.symbol("ringi_plugin_abi", handle, path)
    // Of another version nothing more is known than this function.
    guard abi() == UInt32(RINGI_PLUGIN_ABI) else {
      throw .abi(abi(), expected: UInt32(RINGI_PLUGIN_ABI), path: path)
    }
    let describe: @convention(c) () -> UnsafeMutablePointer<json_t>? =
      try Self.symbol("ringi_plugin_describe", handle, path)
    create = try Self.symbol("ringi_plugin_create", handle, path)
    call = try Self.symbol("ringi_plugin_call", handle, path)
    destroy = try Self.symbol("ringi_plugin_destroy", handle, path)
    guard let description = describe().flatMap({ JSONValue(taking: $0) }) else { throw .undescribed(path: path) }
    self.description = description
  }

  /// A function of the library; the caller states its type.
  private static func symbol<Function>(
    _ name: String, _ handle: UnsafeMutableRawPointer, _ path: String
  ) throws(NativeLibraryError) -> Function {
    guard let address = dlsym(handle, name) else { throw .missing(symbol: name, path: path) }
    return unsafeBitCast(address, to: Function.self)
  }
}
