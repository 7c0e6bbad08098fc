/// A text beside what introduces it, such as an error's sentence or an entry of a list: on a terminal it is broken at
/// words, and each of its lines begins at the same column.
package struct HangingText: Equatable {
  /// The columns that a text has to have beside its lead; with fewer it stands below.
  private static let leastRoom = 24
  /// The indentation below a lead that leaves no room.
  private static let belowIndent = 6

  /// What stands before the text, with the blanks up to it.
  package let lead: String
  /// Whether the text begins on the line after the lead.
  package let isBelow: Bool
  /// The column at which each of `lines` begins.
  package let indent: Int
  package let lines: [String]

  /// Lays a text out.
  ///
  /// - Parameters:
  ///   - text: One line; it goes through `visible(_:)` first.
  ///   - lead: What stands before it.
  ///   - column: Where it begins; `nil` for right after the lead.
  ///   - columns: The width of the terminal; `nil` breaks nothing.
  package init(_ text: String, after lead: String, at column: Int? = nil, columns: Int?) {
    let taken = displayWidth(of: lead)
    let column = column ?? taken
    let width = displayWidth(of: text)
    let isCramped = columns.map { $0 - column < min(width, Self.leastRoom) } ?? false
    isBelow = taken > column || isCramped
    indent = isCramped ? min(column, Self.belowIndent) : column
    self.lead = isBelow || text.isEmpty ? Self.trimmed(lead) : padded(lead, to: column)
    guard let columns, width > columns - indent else {
      lines = [text]
      return
    }
    lines = Self.broken(text, to: columns - indent)
  }

  /// All lines.
  package var text: String {
    let margin = String(repeating: " ", count: indent)
    return lead + (isBelow ? "\n" + margin : "") + lines.joined(separator: "\n" + margin)
  }

  /// Breaks at spaces; a word wider than a line stands whole on one of its own, so that it can be copied, unless it is of a
  /// script that has no spaces.
  private static func broken(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if line.isEmpty {
        line = String(word)
      } else if displayWidth(of: line) + 1 + displayWidth(of: word) <= width {
        line = "\(line) \(word)"
      } else {
        lines.append(trimmed(line))
        line = String(word)
      }
      while displayWidth(of: line) > width, let end = wideBreak(in: line, width) {
        lines.append(String(line[..<end]))
        line = String(line[end...])
      }
    }
    return lines + [line]
  }

  /// What may not begin a line in Japanese (JIS X 4051, the most common of it).
  private static let closing: Set<Character> = ["、", "。", "，", "．", "」", "』", "）", "！", "？", "ー", "々"]

  /// The last place within a width where East Asian text may be broken: before a wide character.
  private static func wideBreak(in line: String, _ width: Int) -> String.Index? {
    var (taken, place) = (0, String.Index?.none)
    for index in line.indices {
      let columns = displayWidth(of: line[index])
      if columns == 2, index > line.startIndex, !closing.contains(line[index]) { place = index }
      taken += columns
      if taken > width { return place }
    }
    return nil
  }

  private static func trimmed(_ text: String) -> String {
    String(text.prefix(upTo: text.lastIndex { $0 != " " }.map(text.index(after:)) ?? text.startIndex))
  }
}
