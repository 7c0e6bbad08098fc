/// Reads the text of a cron expression.
struct CronParser {
  /// What the nicknames stand for.
  private static let nicknames = [
    "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
  ]

  private let text: String

  /// Reads five fields, or a nickname.
  /// - Throws: `CronExpressionError` at the first fault, or when no day would ever fit.
  static func parse(_ text: String) throws(CronExpressionError) -> CronCalendar {
    let trimmed = text.drop(while: isSpace)
    guard trimmed.first == "@" else { return try CronParser(text: text).calendar() }
    let name = trimmed.prefix { !isSpace($0) }
    guard trimmed.dropFirst(name.count).allSatisfy(isSpace), let fields = nicknames[name.lowercased()] else {
      throw CronExpressionError(
        field: nil, column: text.count - trimmed.count + 1,
        message: "\"\(trimmed)\" is no nickname: there are \(nicknames.keys.sorted().joined(separator: ", "))")
    }
    return try CronParser(text: fields).calendar()
  }

  private static func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }

  private func calendar() throws(CronExpressionError) -> CronCalendar {
    let fields = text.split(whereSeparator: Self.isSpace)
    guard fields.count == CronField.allCases.count else {
      throw CronExpressionError(
        field: nil, column: fields.count > 5 ? column(of: fields[5]) : text.count + 1,
        message:
          "\"\(text)\" has \(fields.count) \(fields.count == 1 ? "field" : "fields"): it takes five (minute hour "
          + "day-of-month month day-of-week), or a nickname such as @daily")
    }
    let calendar = CronCalendar(
      minutes: try numbers(fields[0], .minute), hours: try numbers(fields[1], .hour),
      daysOfMonth: try numbers(fields[2], .dayOfMonth), months: try numbers(fields[3], .month),
      daysOfWeek: try numbers(fields[4], .dayOfWeek),
      needsBothDays: fields[2].hasPrefix("*") || fields[4].hasPrefix("*"),
      goesByRealTime: fields[0].hasPrefix("*") || fields[1].hasPrefix("*"))
    guard calendar.hasAnyDay else {
      throw failure(
        fields[2], .dayOfMonth,
        "\(quoted(fields[2])) never comes in month \(quoted(fields[3])), so this would never run")
    }
    return calendar
  }

  /// Reads a list of terms.
  private func numbers(_ list: Substring, _ field: CronField) throws(CronExpressionError) -> NumberSet {
    var numbers = NumberSet()
    for term in list.split(separator: ",", omittingEmptySubsequences: false) {
      numbers.formUnion(try self.term(term, field))
    }
    if field == .dayOfWeek && numbers.contains(7) { numbers.insert(0) }
    return numbers
  }

  /// Reads "*", a value, or a range, each perhaps with a step; "5/15" is 5 and every 15th after it.
  private func term(_ term: Substring, _ field: CronField) throws(CronExpressionError) -> NumberSet {
    let halves = term.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    var range = try range(halves[0], of: term, field)
    var step = 1
    if halves.count == 2 {
      guard let value = Self.number(halves[1]), (1...field.count).contains(value) else {
        throw failure(
          halves[1], field, "the step \(quoted(halves[1])) in \(quoted(term)) is none: it takes 1 to \(field.count)")
      }
      step = value
      if range.count == 1 && !halves[0].contains("-") { range = range.lowerBound...field.range.upperBound }
    }
    var numbers = NumberSet()
    for number in stride(from: range.lowerBound, through: range.upperBound, by: step) { numbers.insert(number) }
    return numbers
  }

  private func range(
    _ text: Substring, of term: Substring, _ field: CronField
  ) throws(CronExpressionError) -> ClosedRange<Int> {
    if text == "*" { return field.range }
    let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    let first = try value(ends[0], of: term, field)
    guard ends.count == 2 else { return first...first }
    let last = try value(ends[1], of: term, field)
    guard first <= last else {
      let advice = field == .dayOfWeek && last == 0 ? "write 7 for a Sunday at its end" : "write it as two ranges"
      throw failure(text, field, "the range \(quoted(text)) runs backwards: \(advice)")
    }
    return first...last
  }

  private func value(
    _ text: Substring, of term: Substring, _ field: CronField
  ) throws(CronExpressionError) -> Int {
    if let index = field.names.firstIndex(of: text.uppercased()) { return field.firstNamed + index }
    guard let number = Self.number(text), field.range.contains(number) else {
      throw failure(
        text, field,
        "\(quoted(text))\(text == term ? "" : " in \(quoted(term))") is none: it takes \(field.values), "
          + "ranges (1-5), steps (*/2) and lists (1,3) of them, or *")
    }
    return number
  }

  private static func number(_ text: Substring) -> Int? {
    text.utf8.allSatisfy(ByteScanner.isDigit) ? Int(text) : nil
  }

  private func quoted(_ text: Substring) -> String { "\"\(text)\"" }

  private func column(of part: Substring) -> Int {
    text.distance(from: text.startIndex, to: part.startIndex) + 1
  }

  private func failure(_ part: Substring, _ field: CronField, _ message: String) -> CronExpressionError {
    CronExpressionError(field: field.name, column: column(of: part), message: message)
  }
}
