import RingiTestSupport
import SQLite
import Testing

@Suite struct ConnectionTests {
  private static func memory() throws -> Connection {
    let connection = try Connection(path: ":memory:")
    try connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b ANY) STRICT")
    return connection
  }

  private static func all(_ connection: Connection) throws -> [Int64] {
    try connection.rows("SELECT a FROM t ORDER BY a") { $0.integer(0) }
  }

  @Test(arguments: [
    SQLiteValue.null, .integer(.min), .integer(.max), .text(""), .text("a\u{0}b 稟議 🦭"), .blob([]), .blob([0, 255, 0]),
  ])
  func eachValueComesBackAsItWent(_ value: SQLiteValue) throws {
    let connection = try Self.memory()
    try connection.run("INSERT INTO t (b) VALUES (?)", [value])
    let found = try connection.first("SELECT b FROM t") { row -> SQLiteValue in
      switch value {
      case .null: row.isNull(0) ? .null : .text("not null")
      case .integer: .integer(row.integer(0))
      case .text: .text(row.text(0))
      case .blob: .blob(row.bytes(0))
      }
    }
    #expect(found == value)
  }

  @Test func aTransactionThatThrowsLeavesNothing() throws {
    let connection = try Self.memory()
    let error = #expect(throws: SQLiteError.self) {
      try connection.transaction {
        try connection.run("INSERT INTO t (a) VALUES (1)")
        try connection.run("INSERT INTO t (a) VALUES (1)")
      }
    }
    #expect(error?.kind == .statement)
    #expect(try Self.all(connection) == [])
    try connection.transaction { try connection.run("INSERT INTO t (a) VALUES (2)") }
    #expect(try Self.all(connection) == [2])
  }

  @Test func aPartOfATransactionCanFailByItself() throws {
    let connection = try Self.memory()
    try connection.transaction {
      try connection.savepoint { try connection.run("INSERT INTO t (a) VALUES (1)") }
      #expect(throws: SQLiteError.self) {
        try connection.savepoint {
          try connection.run("INSERT INTO t (a) VALUES (2)")
          try connection.run("INSERT INTO t (a) VALUES (1)")
        }
      }
      try connection.savepoint { try connection.run("INSERT INTO t (a) VALUES (3)") }
    }
    #expect(try Self.all(connection) == [1, 3])
  }

  @Test func aQueryThatIsLeftEarlyCanBeAskedAgain() throws {
    let connection = try Self.memory()
    for number in 1...5 { try connection.run("INSERT INTO t (a) VALUES (?)", [SQLiteValue(number)]) }
    for _ in 0..<2 {
      var seen: [Int64] = []
      try connection.forEach("SELECT a FROM t ORDER BY a") { row in
        seen.append(row.integer(0))
        return seen.count < 2
      }
      #expect(seen == [1, 2])
    }
  }

  @Test func textThatIsNoDatabaseIsCalledDamaged() throws {
    let folder = try TemporaryFolder()
    try folder.write("t.db", String(repeating: "this is no database. ", count: 500))
    let error = #expect(throws: SQLiteError.self) {
      try Connection(path: "\(folder.path)/t.db").execute("SELECT count(*) FROM sqlite_master")
    }
    #expect(error?.kind == .damaged)
  }

  @Test func aCopyHoldsWhatTheOriginalHeld() throws {
    let folder = try TemporaryFolder()
    let connection = try Connection(path: "\(folder.path)/a.db")
    try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (a INTEGER PRIMARY KEY, b ANY) STRICT")
    for number in 1...5000 {
      try connection.run(
        "INSERT INTO t (a, b) VALUES (?, ?)", [SQLiteValue(number), .blob([UInt8](repeating: 7, count: 500))])
    }
    var shares: [Double] = []
    let isWhole = try connection.copy(to: "\(folder.path)/b.db") {
      shares.append($0)
      return true
    }
    #expect(isWhole)
    #expect(shares.last == 1 && shares == shares.sorted())
    let copy = try Connection(path: "\(folder.path)/b.db", isReadOnly: true)
    #expect(try Self.all(copy) == Array(1...5000))
    // It can be read where no log can be made beside it.
    #expect(try copy.first("PRAGMA journal_mode") { $0.text(0) } == "delete")
    #expect(throws: SQLiteError.self) { try copy.run("INSERT INTO t (a) VALUES (0)") }
  }
}
