import CJansson

/// Writes values as UTF-8 text.
///
/// jansson's own writer would print 68.32 as 68.319999999999993.
struct JSONWriter {
  private let isPretty: Bool
  private var depth = 0
  private(set) var output: [UInt8]

  init(output: consuming [UInt8], isPretty: Bool) {
    self.output = output
    self.isPretty = isPretty
  }

  mutating func write(_ value: JSONValue) {
    switch value.storage {
    case .null: output.append("null")
    case .bool(true): output.append("true")
    case .bool(false): output.append("false")
    case .integer(let value): output.appendJSON(value)
    case .real(let value): output.appendJSON(value)
    case .node(let node): withExtendedLifetime(node) { write(node.reference) }
    }
  }

  private mutating func write(_ value: JSONNode.Reference) {
    switch value.pointee.type {
    case JSON_OBJECT: writeObject(value)
    case JSON_ARRAY: writeArray(value)
    case JSON_STRING: output.appendJSON(JSONNode.bytes(value))
    case JSON_INTEGER: output.appendJSON(Int64(json_integer_value(value)))
    case JSON_REAL: output.appendJSON(json_real_value(value))
    case JSON_TRUE: output.append("true")
    case JSON_FALSE: output.append("false")
    default: output.append("null")
    }
  }

  private mutating func writeArray(_ array: JSONNode.Reference) {
    let count = json_array_size(array)
    output.append(.openBracket)
    depth += 1
    for index in 0..<count {
      if index > 0 { output.append(.comma) }
      breakLine()
      if let element = json_array_get(array, index) { write(element) }
    }
    depth -= 1
    if count > 0 { breakLine() }
    output.append(.closeBracket)
  }

  private mutating func writeObject(_ object: JSONNode.Reference) {
    output.append(.openBrace)
    depth += 1
    var iterator = json_object_iter(object)
    let isEmpty = iterator == nil
    while let here = iterator, let value = json_object_iter_value(here) {
      breakLine()
      output.appendJSON(JSONNode.key(here))
      output.append(.colon)
      if isPretty { output.append(.space) }
      write(value)
      iterator = json_object_iter_next(object, here)
      if iterator != nil { output.append(.comma) }
    }
    depth -= 1
    if !isEmpty { breakLine() }
    output.append(.closeBrace)
  }

  private mutating func breakLine() {
    guard isPretty else { return }
    output.append(.newline)
    for _ in 0..<depth { output.append("  ") }
  }
}

extension JSONValue: CustomStringConvertible {
  /// Appends the value as compact text.
  public func write(into output: inout [UInt8]) { write(into: &output, pretty: false) }

  /// Appends the value as text: compact, or with a line for each member and element, indented by two spaces.
  ///
  /// A real is written in the shortest form that reads back as the same real, and never looks like an integer.
  public func write(into output: inout [UInt8], pretty: Bool) {
    var writer = JSONWriter(output: output, isPretty: pretty)
    output = []
    writer.write(self)
    output = writer.output
  }

  /// The value as compact text.
  public var utf8: [UInt8] {
    var output: [UInt8] = []
    write(into: &output)
    return output
  }

  /// The value as compact text.
  public var description: String { String(decoding: utf8, as: UTF8.self) }
}
