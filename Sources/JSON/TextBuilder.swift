import CJansson

/// Makes jansson's values from a text that a scan has found right; so it looks at no byte's validity again.
///
/// jansson's own reader would do the same at a third of the speed, refuse the whole text for one large integer, and not
/// say which key was there twice.
struct TextBuilder {
  private typealias Place = UnsafePointer<UInt8>

  private let text: UnsafeBufferPointer<UInt8>
  private let end: Place
  private let rejectsDuplicates: Bool
  private var place: Place
  /// Where a string with escapes is put together.
  private var unescaped: [UInt8] = []

  /// Builds the value of a whole text, or part of one, that `TextScan` accepted.
  /// - Parameters:
  ///   - text: the text.
  ///   - rejectsDuplicates: whether an object may not have a key twice.
  /// - Returns: a reference for the caller to own.
  /// - Throws: for a duplicate key only.
  static func build(
    _ text: UnsafeBufferPointer<UInt8>, rejectsDuplicates: Bool
  ) throws(JSONSyntaxError) -> JSONNode.Reference {
    guard let start = text.baseAddress else { return JSONNode.made(json_null()) }
    var builder = TextBuilder(text: text, start: start, rejectsDuplicates: rejectsDuplicates)
    builder.skipSpace()
    return try builder.value()
  }

  private init(text: UnsafeBufferPointer<UInt8>, start: Place, rejectsDuplicates: Bool) {
    self.text = text
    self.end = start + text.count
    self.rejectsDuplicates = rejectsDuplicates
    self.place = start
  }

  /// Goes to the next thing; whoever calls this knows that there is one.
  @inline(__always)
  private mutating func skipSpace() {
    while place.pointee.isJSONSpace { place += 1 }
  }

  /// Goes past what stands after a member or an element, to the next one or the closing bracket.
  @inline(__always)
  private mutating func skipComma() {
    skipSpace()
    guard place.pointee == .comma else { return }
    place += 1
    skipSpace()
  }

  private mutating func value() throws(JSONSyntaxError) -> JSONNode.Reference {
    switch place.pointee {
    case .quote: return string()
    case .openBrace: return try object()
    case .openBracket: return try array()
    case UInt8(ascii: "t"):
      place += 4
      return JSONNode.made(json_true())
    case UInt8(ascii: "f"):
      place += 5
      return JSONNode.made(json_false())
    case UInt8(ascii: "n"):
      place += 4
      return JSONNode.made(json_null())
    default: return number()
    }
  }

  private mutating func array() throws(JSONSyntaxError) -> JSONNode.Reference {
    let array = JSONNode.made(json_array())
    place += 1
    skipSpace()
    do throws(JSONSyntaxError) {
      while place.pointee != .closeBracket {
        JSONNode.done(json_array_append_new(array, try value()))
        skipComma()
      }
    } catch {
      json_decref(array)
      throw error
    }
    place += 1
    return array
  }

  private mutating func object() throws(JSONSyntaxError) -> JSONNode.Reference {
    let object = JSONNode.made(json_object())
    place += 1
    skipSpace()
    do throws(JSONSyntaxError) {
      while place.pointee != .closeBrace {
        try member(of: object)
        skipComma()
      }
    } catch {
      json_decref(object)
      throw error
    }
    place += 1
    return object
  }

  private mutating func member(of object: JSONNode.Reference) throws(JSONSyntaxError) {
    let start = place
    let (raw, hasEscapes) = rawString()
    skipSpace()
    place += 1
    skipSpace()
    let value = try value()
    // The key is unescaped only now, since its value may have wanted the buffer.
    if hasEscapes { unescaped = raw.unescaped(reusing: unescaped) }
    let isDuplicate = withUnescaped(raw, hasEscapes) { key in
      if rejectsDuplicates, JSONNode.member(object, key) != nil { return true }
      JSONNode.set(object, key, value)
      return false
    }
    guard isDuplicate else { return }
    json_decref(value)
    let key = withUnescaped(raw, hasEscapes) { String(decoding: $0, as: UTF8.self) }
    throw JSONSyntaxError(
      "the key \"\(key)\" is already there in this object", at: start - (end - text.count), of: text)
  }

  private mutating func string() -> JSONNode.Reference {
    let (raw, hasEscapes) = rawString()
    if hasEscapes { unescaped = raw.unescaped(reusing: unescaped) }
    return withUnescaped(raw, hasEscapes, JSONNode.string)
  }

  @inline(__always)
  private func withUnescaped<R>(
    _ raw: UnsafeBufferPointer<UInt8>, _ hasEscapes: Bool, _ body: (UnsafeBufferPointer<UInt8>) -> R
  ) -> R {
    hasEscapes ? unescaped.withUnsafeBufferPointer(body) : body(raw)
  }

  /// Goes past a string, and tells what is between its quotes.
  @inline(__always)
  private mutating func rawString() -> (raw: UnsafeBufferPointer<UInt8>, hasEscapes: Bool) {
    let first = place + 1
    var last = first
    var hasEscapes = false
    while true {
      last = Self.quoteOrBackslash(from: last, before: end)
      if last.pointee == .quote { break }
      hasEscapes = true
      last += 2
    }
    place = last + 1
    return (UnsafeBufferPointer(start: first, count: last - first), hasEscapes)
  }

  @inline(__always)
  private static func quoteOrBackslash(from place: Place, before end: Place) -> Place {
    var place = place
    while end - place >= 8 {
      let word = UInt64(bytesAt: place)
      let found = word.bytes(equalTo: .quote) | word.bytes(equalTo: .backslash)
      if found != 0 { return place + found.bytesBeforeMark }
      place += 8
    }
    while place.pointee != .quote, place.pointee != .backslash { place += 1 }
    return place
  }

  private mutating func number() -> JSONNode.Reference {
    let first = place
    var isInteger = true
    while place < end {
      switch place.pointee {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), .minus: break
      case .point, .plus, UInt8(ascii: "e"), UInt8(ascii: "E"): isInteger = false
      default: return number(first, isInteger: isInteger)
      }
      place += 1
    }
    return number(first, isInteger: isInteger)
  }

  private func number(_ first: Place, isInteger: Bool) -> JSONNode.Reference {
    if isInteger, let integer = Int64(numberFrom: first, to: place) {
      return JSONNode.made(json_integer(json_int_t(integer)))
    }
    return JSONNode.made(json_real(Double(numberFrom: first, to: place)))
  }
}
