import CJansson

/// The elements of an array.
public struct JSONArray: RandomAccessCollection, Sendable {
  private let node: JSONNode

  init(_ node: JSONNode) { self.node = node }

  public var startIndex: Int { 0 }
  public var endIndex: Int { json_array_size(node.reference) }

  public subscript(position: Int) -> JSONValue {
    guard let element = json_array_get(node.reference, position) else {
      preconditionFailure("index \(position) of an array of \(count)")
    }
    return JSONValue(borrowing: element)
  }
}
