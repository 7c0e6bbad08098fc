/// Where and why a scan stopped; small, so that the scanner's fast path pays nothing for it.
struct ScanFailure: Error {
  enum Reason: UInt8 {
    case emptyText, unexpectedEnd, expectedValue, expectedKey, expectedColon, expectedCommaOrBrace
    case expectedCommaOrBracket, trailingText, unknownLiteral, controlCharacter, unknownEscape, badUnicodeEscape
    case loneSurrogate, nulInKey, invalidUTF8, leadingZero, expectedDigit, largeInteger, largeReal, tooDeep
  }

  let byte: Int
  let reason: Reason
}

extension ScanFailure.Reason {
  /// One sentence for a person, which may name the character found at the place.
  func message(found: String) -> String {
    switch self {
    case .emptyText: "there is no JSON value in the text"
    case .unexpectedEnd: "the text ends before its value does"
    case .expectedValue: "expected a value, found \(found)"
    case .expectedKey: "expected a key in double quotes, found \(found)"
    case .expectedColon: "expected ':' after a key, found \(found)"
    case .expectedCommaOrBrace: "expected ',' or '}' after a member, found \(found)"
    case .expectedCommaOrBracket: "expected ',' or ']' after an element, found \(found)"
    case .trailingText: "expected the end of the text after its value, found \(found)"
    case .unknownLiteral: "expected true, false or null"
    case .controlCharacter: "a string contains the control character \(found); it must be escaped"
    case .unknownEscape: "unknown escape; expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u"
    case .badUnicodeEscape: "\\u needs four hexadecimal digits"
    case .loneSurrogate: "this escape is half of a surrogate pair"
    case .nulInKey: "a key can't contain \\u0000"
    case .invalidUTF8: "the text is not valid UTF-8"
    case .leadingZero: "a number can't begin with a zero followed by a digit"
    case .expectedDigit: "expected a digit, found \(found)"
    case .largeInteger: "the integer does not fit in 64 bits"
    case .largeReal: "the number is too large for a real"
    case .tooDeep: "arrays and objects are nested too deeply"
    }
  }
}
