internal import JSON
internal import Timing

/// Builds one object of an answer, with absent values in the style that the sandbox is set to.
struct SAPObjectWriter {
  private let writesNull: Bool
  private let isMixed: Bool
  private var members: [(String, JSONValue)] = []

  /// Begins an object with its place in its list; in the mixed style even ones write null.
  init(_ style: SAPSwitches.NullStyle, index: Int) {
    isMixed = style == .mixed
    writesNull = style == .null || (isMixed && index.isMultiple(of: 2))
  }

  mutating func add(_ name: String, _ value: JSONValue) { members.append((name, value)) }

  mutating func add(_ name: String, _ text: String) { add(name, JSONValue(text)) }

  mutating func add(_ name: String, _ time: Timestamp) { add(name, SAPTime.text(time)) }

  mutating func addOptional(_ name: String, _ value: JSONValue?) {
    if let value { add(name, value) } else if writesNull { add(name, JSONValue.null) }
  }

  mutating func addOptional(_ name: String, _ text: String?) { addOptional(name, text.map { JSONValue($0) }) }

  mutating func addOptional(_ name: String, _ time: Timestamp?) { addOptional(name, time.map(SAPTime.text)) }

  /// An empty list is written, or left out where an absent value would be.
  mutating func addList(_ name: String, _ texts: [String]) {
    if !texts.isEmpty || writesNull { add(name, JSONValue(array: texts.map { JSONValue($0) })) }
  }

  mutating func finish() -> JSONValue {
    // Members may be added to the service at any time.
    if isMixed { add("x_future", JSONValue.emptyObject) }
    return JSONValue(object: members)
  }
}
