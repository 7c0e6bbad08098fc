internal import HTTP

extension PercentEncoding {
  /// The ways in which programs percent-encode: upper or lower hex digits, a space as `%20` or `+`.
  static func forms(of text: String) -> [String] {
    [true, false].flatMap { isUpper in
      ["%20", "+"].map { space in
        text.utf8.map { byte in
          if isUnreserved(byte) { return String(UnicodeScalar(byte)) }
          return byte == 0x20 ? space : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: isUpper)
        }.joined()
      }
    }
  }
}
