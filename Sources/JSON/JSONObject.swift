import CJansson

/// The members of an object, in the order in which they were written.
public struct JSONObject: Sequence, Sendable {
  private let node: JSONNode

  init(_ node: JSONNode) { self.node = node }

  public var count: Int { json_object_size(node.reference) }

  public var isEmpty: Bool { count == 0 }

  public var underestimatedCount: Int { count }

  public var keys: [String] { map(\.key) }

  public subscript(_ key: String) -> JSONValue? {
    key.withBytes { JSONNode.member(node.reference, $0) }.map(JSONValue.init(borrowing:))
  }

  public func makeIterator() -> Iterator { Iterator(node) }

  public struct Iterator: IteratorProtocol {
    private let node: JSONNode
    private var following: UnsafeMutableRawPointer?

    init(_ node: JSONNode) {
      self.node = node
      self.following = json_object_iter(node.reference)
    }

    public mutating func next() -> (key: String, value: JSONValue)? {
      guard let here = following, let value = json_object_iter_value(here) else { return nil }
      following = json_object_iter_next(node.reference, here)
      return (String(decoding: JSONNode.key(here), as: UTF8.self), JSONValue(borrowing: value))
    }
  }
}
