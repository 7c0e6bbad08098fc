extension JSONValue {
  /// Reads exactly one JSON text in UTF-8, whose value may be of any kind.
  /// - Throws: `JSONSyntaxError` when it isn't one (RFC 8259), or when it breaks one of the options.
  public init(
    parsing bytes: UnsafeRawBufferPointer, options: JSONParsingOptions = .init()
  ) throws(JSONSyntaxError) {
    // Bytes may be looked at as UInt8 whatever memory they are in.
    let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    try self.init(parsing: UnsafeBufferPointer(start: base, count: bytes.count), options: options)
  }

  public init(parsing bytes: [UInt8], options: JSONParsingOptions = .init()) throws(JSONSyntaxError) {
    self = try bytes.withUnsafeBufferPointer { text throws(JSONSyntaxError) in
      try JSONValue(parsing: text, options: options)
    }
  }

  public init(parsing bytes: ArraySlice<UInt8>, options: JSONParsingOptions = .init()) throws(JSONSyntaxError) {
    self = try bytes.withUnsafeBufferPointer { text throws(JSONSyntaxError) in
      try JSONValue(parsing: text, options: options)
    }
  }

  public init(parsing text: String, options: JSONParsingOptions = .init()) throws(JSONSyntaxError) {
    try self.init(parsing: Array(text.utf8), options: options)
  }

  package init(
    parsing text: UnsafeBufferPointer<UInt8>, options: JSONParsingOptions = .init()
  ) throws(JSONSyntaxError) {
    // Checking first keeps the rules, the limits and the errors in one place; building can then trust the text.
    try JSONScanner(options).validate(text)
    self.init(owning: try TextBuilder.build(text, rejectsDuplicates: options.duplicateKeys == .reject))
  }
}

extension JSONValue {
  /// Builds a text's value.
  ///
  /// A number beyond 64 bits that the text's options let pass becomes a real.
  public init(_ text: JSONText) {
    self = text.utf8.withUnsafeBufferPointer { JSONValue(scanned: $0) }
  }

  /// Builds the value of a text, or a part of one, that a `JSONScanner` has accepted; of duplicate keys the last counts.
  package init(scanned text: UnsafeBufferPointer<UInt8>) {
    do throws(JSONSyntaxError) {
      self.init(owning: try TextBuilder.build(text, rejectsDuplicates: false))
    } catch {
      preconditionFailure("only duplicates are refused, and they are allowed here")
    }
  }
}
