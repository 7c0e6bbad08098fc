internal import CYAML
package import JSON

/// Reads one YAML document into JSON (libyaml).
package enum YAMLDocument {
  /// - Parameter text: The document, in UTF-8 like every Swift string.
  /// - Returns: Its value; the empty document is null.
  /// - Throws: ``YAMLError`` for what is no YAML, and for what JSON has no form for: several documents, keys that are no
  ///   scalars, keys that occur twice, tags other than those of texts, sequences and mappings, infinities.
  package static func parse(_ text: String) throws(YAMLError) -> JSONValue {
    var text = text
    let result = text.withUTF8 { bytes in
      Result { () throws(YAMLError) in
        var reader = try YAMLReader(bytes)
        defer { reader.close() }
        return try reader.document()
      }
    }
    return try result.get()
  }
}

/// One pass over the parser's events.
private struct YAMLReader {
  /// Deeper documents, and those that aliases blow up to more values, are refused.
  private static let (mostLevels, mostValues) = (256, 1_000_000)

  private var parser: UnsafeMutablePointer<yaml_parser_t>
  private var anchors: [String: (value: JSONValue, size: Int, depth: Int)] = [:]
  private var values = 0
  /// The deepest level within the value that is being read.
  private var deepest = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) throws(YAMLError) {
    parser = .allocate(capacity: 1)
    guard yaml_parser_initialize(parser) == 1 else {
      parser.deallocate()
      throw YAMLError(line: 1, column: 1, message: "there is not enough memory")
    }
    yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
  }

  func close() {
    yaml_parser_delete(parser)
    parser.deallocate()
  }

  mutating func document() throws(YAMLError) -> JSONValue {
    _ = try next()
    let begin = try next()
    guard begin.kind == .documentStart else { return .null }
    let value = try value(try next(), level: 1)
    _ = try next()
    let end = try next()
    guard end.kind == .streamEnd else { throw end.error("a second document begins; only one is taken") }
    return value
  }

  // MARK: Values

  private mutating func value(_ event: YAMLEvent, level: Int) throws(YAMLError) -> JSONValue {
    let (before, outer) = (values, deepest)
    values += 1
    deepest = level
    try check(event, level)
    let value: JSONValue
    switch event.kind {
    case .scalar(let text, let isPlain): value = try scalar(event, text, isPlain)
    case .sequenceStart: value = try sequence(event, level)
    case .mappingStart: value = try mapping(event, level)
    case .alias(let name):
      guard let anchor = anchors[name] else { throw event.error("there is no anchor \(name) before it") }
      values += anchor.size - 1
      deepest = level + anchor.depth
      try check(event, deepest)
      value = anchor.value
    case .documentStart, .sequenceEnd, .mappingEnd, .streamEnd, .other: throw event.error("a value is missing")
    }
    guard values <= Self.mostValues else { throw event.error("it has more than \(Self.mostValues) values") }
    if let anchor = event.anchor { anchors[anchor] = (value, values - before, deepest - level) }
    deepest = max(outer, deepest)
    return value
  }

  private func check(_ event: YAMLEvent, _ level: Int) throws(YAMLError) {
    guard level > Self.mostLevels else { return }
    throw event.error("it is nested deeper than \(Self.mostLevels) levels")
  }

  private func scalar(_ event: YAMLEvent, _ text: String, _ isPlain: Bool) throws(YAMLError) -> JSONValue {
    switch event.tag {
    case nil where isPlain:
      guard let value = YAMLScalar.value(text) else { throw event.error("JSON has no number \(text)") }
      return value
    case nil, "!", "tag:yaml.org,2002:str": return JSONValue(text)
    case let tag?: throw event.error("the tag \(tag) is not taken")
    }
  }

  private mutating func sequence(_ event: YAMLEvent, _ level: Int) throws(YAMLError) -> JSONValue {
    try check(event, "tag:yaml.org,2002:seq")
    var items: [JSONValue] = []
    while true {
      let event = try next()
      if event.kind == .sequenceEnd { return JSONValue(array: items) }
      items.append(try value(event, level: level + 1))
    }
  }

  private mutating func mapping(_ event: YAMLEvent, _ level: Int) throws(YAMLError) -> JSONValue {
    try check(event, "tag:yaml.org,2002:map")
    var members: [(String, JSONValue)] = []
    var keys: Set<String> = []
    while true {
      let event = try next()
      if event.kind == .mappingEnd { return JSONValue(object: members) }
      guard case .scalar(let key, let isPlain) = event.kind else { throw event.error("a key takes a scalar") }
      guard !isPlain || key != "<<" else { throw event.error("<< is not of YAML 1.2; write the members out") }
      guard keys.insert(key).inserted else { throw event.error("the key \(key) occurs twice") }
      if let anchor = event.anchor { anchors[anchor] = (JSONValue(key), 1, 0) }
      members.append((key, try value(try next(), level: level + 1)))
    }
  }

  private func check(_ event: YAMLEvent, _ standard: String) throws(YAMLError) {
    guard let tag = event.tag, tag != "!", tag != standard else { return }
    throw event.error("the tag \(tag) is not taken")
  }

  // MARK: Events

  private func next() throws(YAMLError) -> YAMLEvent {
    var raw = yaml_event_t()
    guard yaml_parser_parse(parser, &raw) == 1 else { throw failure }
    defer { yaml_event_delete(&raw) }
    return YAMLEvent(raw)
  }

  private var failure: YAMLError {
    let what = parser.pointee.problem.map { String(cString: $0) } ?? "it can't be read"
    let context = parser.pointee.context.map { String(cString: $0) + ", " } ?? ""
    return YAMLError(at: parser.pointee.problem_mark, context + what)
  }
}

/// What the parser came across, in Swift's own memory.
private struct YAMLEvent {
  enum Kind: Equatable {
    case documentStart, sequenceStart, sequenceEnd, mappingStart, mappingEnd, streamEnd, other
    case scalar(String, isPlain: Bool)
    case alias(String)
  }

  let kind: Kind
  let anchor: String?
  let tag: String?
  private let mark: yaml_mark_t

  init(_ raw: yaml_event_t) {
    mark = raw.start_mark
    let data = raw.data
    var names: (anchor: UnsafeMutablePointer<yaml_char_t>?, tag: UnsafeMutablePointer<yaml_char_t>?) = (nil, nil)
    switch raw.type {
    case YAML_DOCUMENT_START_EVENT: kind = .documentStart
    case YAML_SEQUENCE_START_EVENT:
      kind = .sequenceStart
      names = (data.sequence_start.anchor, data.sequence_start.tag)
    case YAML_SEQUENCE_END_EVENT: kind = .sequenceEnd
    case YAML_MAPPING_START_EVENT:
      kind = .mappingStart
      names = (data.mapping_start.anchor, data.mapping_start.tag)
    case YAML_MAPPING_END_EVENT: kind = .mappingEnd
    case YAML_STREAM_END_EVENT: kind = .streamEnd
    case YAML_SCALAR_EVENT:
      let bytes = UnsafeBufferPointer(start: data.scalar.value, count: data.scalar.length)
      kind = .scalar(String(decoding: bytes, as: UTF8.self), isPlain: data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
      names = (data.scalar.anchor, data.scalar.tag)
    case YAML_ALIAS_EVENT: kind = .alias(data.alias.anchor.map { String(cString: $0) } ?? "")
    default: kind = .other
    }
    anchor = names.anchor.map { String(cString: $0) }
    tag = names.tag.map { String(cString: $0) }
  }

  func error(_ message: String) -> YAMLError { YAMLError(at: mark, message) }
}

extension YAMLError {
  fileprivate init(at mark: yaml_mark_t, _ message: String) {
    self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1, message: message)
  }
}
