/// The id of a request, as the bytes it was written in: `1`, `1.0` and `"1"` are three ids; each goes back unchanged.
///
/// - SeeAlso: JSON-RPC 2.0, section 4.
package struct RequestID: Hashable, Sendable {
  package let utf8: [UInt8]

  package init(_ utf8: some Sequence<UInt8>) { self.utf8 = Array(utf8) }

  package static let null = RequestID("null".utf8)
}
