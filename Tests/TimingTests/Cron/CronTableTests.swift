import Testing

@testable import Timing

/// Thousands of schedules against an independent program; make-tables.py beside the table says how it came about.
@Suite struct CronTableTests {
  @Test func everyRunIsWhereTheTableHasIt() throws {
    var zone = TimeZone.utc
    var rows = 0
    for line in try Fixtures.lines(of: "cron.txt") {
      if line.hasPrefix("[") {
        zone = try Fixtures.zone(String(line.dropFirst().dropLast()))
        continue
      }
      let columns = line.split(separator: "|", omittingEmptySubsequences: false)
      try #require(columns.count == 4, "\(line)")
      let start = Timestamp(seconds: try #require(Int64(columns[0])))
      let expression = try CronExpression(parsing: String(columns[2]), timeZone: zone)
      let expected = try runs(columns[3], after: start)
      var found: [Timestamp] = []
      while found.count < expected.count, let next = expression.next(after: found.last ?? start) { found.append(next) }
      #expect(found == expected, "\(expression) in \(zone.identifier) after \(start)")
      rows += 1
    }
    #expect(rows > 8000)
  }

  /// Reads "5 1440x2": 5 minutes to the first run, 1440 to the second, 1440 to the third.
  private func runs(_ text: Substring, after start: Timestamp) throws -> [Timestamp] {
    var minute = start.seconds.dividedDown(by: 60).quotient
    var runs: [Timestamp] = []
    for word in text.split(separator: " ") {
      let numbers = word.split(separator: "x").compactMap { Int64($0) }
      let step = try #require(numbers.first)
      for _ in 0..<(numbers.count == 2 ? numbers[1] : 1) {
        minute += step
        runs.append(Timestamp(seconds: minute * 60))
      }
    }
    return runs
  }
}
