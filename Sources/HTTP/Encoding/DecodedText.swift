/// Text made from the bytes of a body; always valid Unicode, whatever the backend sent.
public struct DecodedText: Sendable, Hashable {
  public let string: String
  /// Whether something could not be decoded and stands as U+FFFD, or as a guess because the charset is not known here.
  public let isDamaged: Bool

  /// Decodes UTF-8 (also when `charset` is nil), and ISO-8859-1 and windows-1252 as the latter.
  ///
  /// Any other charset is read as UTF-8, and counts as damaged unless all bytes are ASCII.
  /// - Parameters:
  ///   - bytes: The body.
  ///   - charset: The declared name in lower case, or nil.
  init(_ bytes: [UInt8], charset: String?) {
    switch charset {
    case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "windows-1252", "cp1252":
      string = String(String.UnicodeScalarView(bytes.map(Self.windows1252)))
      isDamaged = false
    case nil, "utf-8", "utf8", "us-ascii", "ascii":
      let valid = String(validating: bytes, as: UTF8.self)
      string = valid ?? String(decoding: bytes, as: UTF8.self)
      isDamaged = valid == nil
    default:
      string = String(decoding: bytes, as: UTF8.self)
      isDamaged = !bytes.allSatisfy { $0 < 0x80 }
    }
  }

  /// The table that browsers use for both names; five bytes without a character map to C1 controls.
  private static func windows1252(_ byte: UInt8) -> Unicode.Scalar {
    guard (0x80...0x9F).contains(byte) else { return Unicode.Scalar(byte) }
    return Unicode.Scalar(upperHalf[Int(byte) - 0x80]) ?? "\u{FFFD}"
  }

  private static let upperHalf: [UInt16] = [
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D,
    0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
    0x0153, 0x009D, 0x017E, 0x0178,
  ]
}
