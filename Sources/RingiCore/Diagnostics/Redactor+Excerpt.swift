internal import EventLoop

/// The edges of a text at which it was cut off from a longer one.
struct CutEdges: OptionSet {
  let rawValue: Int
  static let front = CutEdges(rawValue: 1)
  static let back = CutEdges(rawValue: 2)
}

extension Redactor {
  /// The longest message of an error, and of a log line of a plugin's, in bytes.
  nonisolated static let maxMessageBytes = 4 << 10

  /// The beginning of a text from outside, for people, without secrets.
  ///
  /// Half a secret is not recognized as one, so a text must not be cut before it comes here, unless that is told. Here no
  /// more is looked at than twice of what is shown, however long the text is.
  ///
  /// - Parameters:
  ///   - text: UTF-8, or what is meant as such.
  ///   - isCut: Whether it is only the beginning of a longer one.
  ///   - limit: The most that is shown, in bytes, without the `…` that stands for what is left out.
  /// - Returns: The beginning.
  func excerpt(of text: some Collection<UInt8>, isCut: Bool = false, bytes limit: Int) -> String {
    let piece = Array(text.prefix(2 * limit))
    let isCut = isCut || piece.count < text.count
    let clean = redact(piece, cut: isCut ? .back : [])
    let start = clean.prefix(bytes: limit)
    return isCut || start.utf8.count < clean.utf8.count ? "\(start)…" : start
  }

  /// The beginning of a text from outside; see ``excerpt(of:isCut:bytes:)``.
  func excerpt(_ text: String, bytes limit: Int) -> String { excerpt(of: text.utf8, bytes: limit) }
}
