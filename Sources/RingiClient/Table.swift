internal import Text

/// Rows under a header, columns lined up by what they take on a terminal.
struct Table {
  struct Column {
    let title: String
    /// Whether its cells stand at the right side.
    var isNumber = false
    /// The columns it may shrink to; nil when it is never cut.
    var minimum: Int?
    /// Where it stands in the order of leaving when the terminal is too narrow, 1 first; nil when it always stays.
    var leaves: Int?
    /// Whether it is never cut, however narrow the terminal: what is copied from it has to be whole.
    var isWhole = false
  }

  private static let gap = 2

  let columns: [Column]
  let rows: [[Styled]]

  /// The width of the widest line when nothing is cut.
  var naturalWidth: Int { Self.total(of: Array(columns.indices), widths: naturalWidths) }

  /// The header and the rows as lines that take at most `width` columns; nil cuts nothing.
  func lines(columns width: Int?) -> [[Styled]] {
    let (shown, widths) = layout(width)
    let header = columns.map { Styled($0.title, .bold) }
    return ([header] + rows).map { row in line(row, shown: shown, widths: widths) }
  }

  private var naturalWidths: [Int] {
    columns.indices.map { column in
      rows.reduce(displayWidth(of: columns[column].title)) { max($0, displayWidth(of: $1[column].text)) }
    }
  }

  private func line(_ row: [Styled], shown: [Int], widths: [Int]) -> [Styled] {
    var line: [Styled] = []
    for column in shown {
      let cell = row[column].replacingText { truncated($0, to: widths[column]) }
      let fill = Styled(padded("", to: widths[column] - displayWidth(of: cell.text)))
      let isLast = column == shown.last
      if columns[column].isNumber {
        line += [fill, cell]
      } else {
        line += isLast ? [cell] : [cell, fill]
      }
      if !isLast { line.append(Styled(padded("", to: Self.gap))) }
    }
    while line.last?.text.allSatisfy({ $0 == " " }) == true { line.removeLast() }
    return line
  }

  /// Chooses the columns that are shown, and their widths: first the flexible ones shrink, the widest first; then
  /// columns leave; and what is left over is cut as far as it must be.
  private func layout(_ width: Int?) -> (shown: [Int], widths: [Int]) {
    var shown = Array(columns.indices)
    let natural = naturalWidths
    let least = columns.indices.map { columns[$0].isWhole ? natural[$0] : 1 }
    guard let width else { return (shown, natural) }
    while true {
      let minimums = columns.indices.map { min(natural[$0], columns[$0].minimum ?? natural[$0]) }
      if Self.total(of: shown, widths: minimums) <= width {
        return (shown, Self.shrunk(natural, to: width, minimums: minimums, shown: shown))
      }
      let leaving = shown.filter { columns[$0].leaves != nil }
      guard let next = leaving.min(by: { columns[$0].leaves ?? 0 < columns[$1].leaves ?? 0 }) else {
        return (shown, Self.shrunk(natural, to: width, minimums: least, shown: shown))
      }
      shown.removeAll { $0 == next }
    }
  }

  private static func shrunk(_ widths: [Int], to width: Int, minimums: [Int], shown: [Int]) -> [Int] {
    var widths = widths
    while total(of: shown, widths: widths) > width {
      let flexible = shown.filter { widths[$0] > minimums[$0] }
      guard let widest = flexible.max(by: { widths[$0] < widths[$1] }) else { break }
      widths[widest] -= 1
    }
    return widths
  }

  private static func total(of shown: [Int], widths: [Int]) -> Int {
    shown.reduce(0) { $0 + widths[$1] } + gap * max(0, shown.count - 1)
  }
}
