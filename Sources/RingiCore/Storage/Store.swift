package import EventLoop
internal import JSON
internal import JSONRPC
internal import RingiKit
internal import RingiModel
internal import SQLite
internal import Timing

/// What the agent remembers, on disk.
///
/// The agent works with what it holds in memory and records every change here. Changes and events that come in one turn
/// of the loop, or while the disk is busy, are committed together; nobody hears of an event before that. There are two
/// kinds: what may be refused (``record(_:events:)``), and what has happened already (``keep(_:events:)``), which waits
/// in memory, in order, until the disk takes it.
@Loop
package final class Store {
  /// How long and how many events are kept.
  package struct Retention: Equatable, Sendable {
    package var events: Int64 = 1_000_000
    package var age: Duration = .seconds(30 * 86_400)
    package init() {}
  }

  /// What the last commit cost, and how large the file and its log were after it.
  struct Commit: Sendable {
    let time: Timestamp
    let duration: Duration
    let bytes: Int64
    let logBytes: Int64
  }

  /// The most transactions in one commit.
  private static let batch = 4096
  /// The most that may wait for a disk; beyond that, polls stop.
  static let longestQueue = 100_000
  private static let retry = Backoff(base: .seconds(1), cap: .seconds(10))
  private static let trimming: Duration = .seconds(60)

  /// One caller's changes and events.
  @Loop
  private final class Transaction {
    let changes: [Change]
    let events: [UnnumberedEvent]
    /// Whether it waits for a disk that refuses it.
    let isKept: Bool
    let isDone = Gate()
    var result: Result<[EventRecord], any Error>?

    init(_ changes: [Change], _ events: [UnnumberedEvent], isKept: Bool) {
      self.changes = changes
      self.events = events
      self.isKept = isKept
    }

    /// What makes an older one of the same superfluous.
    var subject: String? { changes.count == 1 && events.isEmpty ? changes[0].subject : nil }
  }

  private let clock: any LoopClock
  private let log: Log
  private let problems: Problems
  /// `nil` for a store in memory.
  let file: StoreFile?
  private let writer: Database
  private let reader: Database
  private var lock: StateLock?
  /// Which file is open, to notice that another one, or none, stands in its place.
  private var identity: StoreIdentity?

  private var queue: [Transaction] = []
  /// How many of the queue are being written.
  private var underWay = 0
  private var isCommitting = false
  private var isQueuedForFlush = false
  private var isClosed = false
  private var lastSequence: Int64 = 0
  private var failures = 0
  private var retryAlarm: Alarm?
  private var trimAlarm: Alarm?

  /// Whether what the file holds was read; before that, what the agent holds in memory is provisional.
  package private(set) var isLoaded = false
  /// What keeps it from recording anything; `nil` when all is well.
  package private(set) var trouble: StoreTrouble?
  private(set) var lastCommit: Commit?
  package var retention = Retention()
  /// Takes over what the store holds; called once.
  package var onLoad: (StoredState) -> Void = { _ in }
  /// Hears of the events of each commit.
  var onCommit: ([EventRecord]) -> Void = { _ in }
  /// Hears which is the oldest event after some were let go.
  var onTrim: (Int64) -> Void = { _ in }

  /// Makes a store in a directory, not open yet.
  package init(directory: String, clock: any LoopClock, log: Log, problems: Problems) {
    file = StoreFile(directory: directory)
    writer = Database()
    reader = Database()
    (self.clock, self.log, self.problems) = (clock, log, problems)
  }

  /// Makes an open store that ends with the process.
  ///
  /// - Throws: `SQLiteError`.
  package init(inMemoryFor clock: any LoopClock, log: Log, problems: Problems = Problems()) throws {
    file = nil
    writer = try Database {
      let connection = try Connection(path: ":memory:")
      try Migrator.store.migrate(connection) { _ in }
      return connection
    }
    reader = writer
    (self.clock, self.log, self.problems) = (clock, log, problems)
    isLoaded = true
  }

  // MARK: Recording

  /// Records changes and events, or refuses to.
  ///
  /// - Parameters:
  ///   - changes: What to change.
  ///   - events: What happened.
  /// - Returns: The events with their numbers.
  /// - Throws: `RPCError` (unavailable) when they can't be recorded, or what a change throws; nothing is recorded then.
  ///   `CancellationError`; they may be recorded then.
  func record(_ changes: [Change], events: [UnnumberedEvent] = []) async throws -> [EventRecord] {
    let transaction = Transaction(changes, events, isKept: false)
    try await enqueue(transaction)
    guard let result = transaction.result else { throw CancellationError() }
    return try result.get()
  }

  /// Records what has happened already; while the disk refuses it, it waits in memory.
  ///
  /// - Parameters:
  ///   - changes: What changed.
  ///   - events: What happened.
  /// - Returns: The events with their numbers; `nil` when they are still to be recorded.
  @discardableResult
  func keep(_ changes: [Change], events: [UnnumberedEvent] = []) async -> [EventRecord]? {
    let transaction = Transaction(changes, events, isKept: true)
    // Cancelled or not, it stays in the queue.
    try? await enqueue(transaction)
    return try? transaction.result?.get()
  }

  /// Sees to it that what is about to happen can be recorded; a disk that has recovered is noticed at once.
  ///
  /// - Throws: `RPCError` (unavailable).
  func ensureUsable() async throws {
    if trouble != nil { _ = try await record([.probe]) }
  }

  /// Writes something, to see that it can be done: a disk that was well before may be full now.
  ///
  /// - Throws: `RPCError` (unavailable).
  func ensureWritable() async throws { _ = try await record([.probe]) }

  /// Sees to it that what was recorded is known.
  ///
  /// - Throws: `RPCError` (unavailable) while the file can't be opened.
  func ensureLoaded() throws {
    guard !isLoaded, let trouble else { return }
    throw RPCError.unavailable(
      "What was recorded before can't be read. \(trouble.sentence)",
      details: ["reason": .init(stringLiteral: "store-\(trouble.kind.rawValue)")])
  }

  /// As ``keep(_:events:)``, for one who needn't know when.
  func note(_ changes: [Change], events: [UnnumberedEvent] = []) {
    let transaction = Transaction(changes, events, isKept: true)
    transaction.isDone.open()
    append(transaction)
  }

  func note(_ change: Change) { note([change]) }

  private func enqueue(_ transaction: Transaction) async throws {
    append(transaction)
    try await transaction.isDone.wait()
  }

  private func append(_ transaction: Transaction) {
    guard !isClosed else {
      transaction.result = .failure(RPCError.overloaded("The agent is shutting down; it records nothing any more."))
      return transaction.isDone.open()
    }
    if trouble != nil, transaction.isKept {
      // The next attempt has its time; what waits for it is told so, and of one matter only the last word waits.
      if let subject = transaction.subject,
        let place = queue.indices.dropFirst(underWay).first(where: { queue[$0].subject == subject })
      {
        queue.remove(at: place)
      }
      queue.append(transaction)
      return transaction.isDone.open()
    }
    queue.append(transaction)
    guard !isCommitting, !isQueuedForFlush else { return }
    isQueuedForFlush = true
    Loop.flushAtEndOfTurn(self)
  }

  /// Whether more can wait in memory while the disk refuses it.
  var hasRoom: Bool { trouble == nil || queue.count < Self.longestQueue }

  /// How many transactions wait for the disk.
  var waiting: Int { queue.count }

  // MARK: Committing

  /// Commits until nothing waits; whoever starts it has set ``isCommitting``, so that there is one at a time.
  private func commitAll() async {
    defer { isCommitting = false }
    while !queue.isEmpty {
      do {
        if trouble != nil { try await recover() }
        do {
          try await commit(Array(queue.prefix(Self.batch)))
        } catch let trouble as StoreTrouble where trouble.kind == .missing {
          try await recover()
          try await commit(Array(queue.prefix(Self.batch)))
        }
      } catch {
        return fail(error)
      }
    }
  }

  private func commit(_ batch: [Transaction]) async throws {
    underWay = batch.count
    defer { underWay = 0 }
    let parts: [Part] = batch.map { ($0.changes, $0.events) }
    let (begin, last, file, identity) = (clock.uptime, lastSequence, file, identity)
    let (results, bytes, logBytes) = try await writer.run { connection in
      try file?.check(identity)
      let results = try Self.write(parts, after: last, connection)
      return (results, file?.bytes ?? 0, file?.logBytes ?? 0)
    }
    lastCommit = Commit(
      time: clock.now, duration: .nanoseconds(clock.uptime - begin), bytes: bytes, logBytes: logBytes)
    queue.removeFirst(batch.count)
    succeed(batch, results)
  }

  private typealias Part = (changes: [Change], events: [UnnumberedEvent])

  private nonisolated static func write(
    _ parts: [Part], after last: Int64, _ connection: Connection
  ) throws -> [Result<[EventRecord], any Error>] {
    // One by itself is a transaction by itself.
    if parts.count == 1 {
      return [try attempt { try connection.transaction { try write(parts[0], after: last, connection) } }]
    }
    var last = last
    return try connection.transaction {
      try parts.map { part in
        let result = try attempt { try connection.savepoint { try write(part, after: last, connection) } }
        if case .success(let records) = result { last += Int64(records.count) }
        return result
      }
    }
  }

  private nonisolated static func write(
    _ part: Part, after last: Int64, _ connection: Connection
  ) throws -> [EventRecord] {
    for change in part.changes { try change.apply(connection) }
    let records = part.events.enumerated().map { $1.numbered(last + 1 + Int64($0)) }
    for record in records { try EventRows.insert(record, connection) }
    return records
  }

  /// What only this part is at fault for is its result, so that the others don't suffer for it.
  ///
  /// - Throws: What concerns them all.
  private nonisolated static func attempt(
    _ body: () throws -> [EventRecord]
  ) throws -> Result<[EventRecord], any Error> {
    do {
      return .success(try body())
    } catch let error as SQLiteError where error.kind != .statement {
      throw error
    } catch {
      return .failure(error)
    }
  }

  private func succeed(_ batch: [Transaction], _ results: [Result<[EventRecord], any Error>]) {
    // Damage stays, though this could be written.
    if trouble != nil, trouble?.kind != .damaged {
      trouble = nil
      failures = 0
      problems.resolve("store")
      log.write(.info, "store", "it records again")
    }
    var records: [EventRecord] = []
    for (transaction, result) in zip(batch, results) {
      switch result {
      case .success(let part): records += part
      case .failure(let error) where transaction.isKept:
        log.write(.error, "store", "a change could not be recorded and is lost: \(error)")
      case .failure: break
      }
      transaction.result = result
    }
    lastSequence = records.last?.sequence ?? lastSequence
    // Whoever waits for one of these goes on after all have heard of them.
    if !records.isEmpty { onCommit(records) }
    for transaction in batch { transaction.isDone.open() }
  }

  // MARK: Trouble

  private func fail(_ error: any Error) {
    let trouble = (error as? StoreTrouble) ?? StoreTrouble(error, directory: file?.directory ?? ":memory:")
    if self.trouble != trouble {
      log.write(.error, "store", trouble.problem)
      problems.report("store", trouble.problem)
    }
    if trouble.kind == .damaged, let file { Loop.task { [writer] in await writer.perform { file.markDamaged() } } }
    self.trouble = trouble
    failures += 1
    // What is being written just now has its own end.
    let waiting = queue[underWay...]
    queue = queue[..<underWay] + waiting.filter(\.isKept)
    for transaction in waiting {
      if !transaction.isKept { transaction.result = .failure(trouble.refusal) }
      transaction.isDone.open()
    }
    retryAlarm?.cancel()
    retryAlarm = clock.alarm(after: Self.retry.limit(attempt: failures)) { [weak self] in self?.tryAgain() }
  }

  private func tryAgain() {
    guard !isCommitting, !isClosed else { return }
    // Something has to be written to see whether it can be.
    if queue.isEmpty { queue.append(Transaction([.probe], [], isKept: true)) }
    isCommitting = true
    Loop.task { await self.commitAll() }
  }

  /// Makes it usable again where that takes more than another attempt.
  private func recover() async throws {
    guard let file else { return }
    // That the next page could be written makes the file no better.
    if let trouble, trouble.kind == .damaged { throw trouble }
    guard isLoaded else { return try await load(file) }
    // It was let go of, and could not be opened again.
    if identity == nil { return try await openConnections(file, at: clock.now) }
    let (found, open) = (await writer.perform { file.identity }, identity)
    guard found != open else { return }
    let now = clock.now
    if found.database != nil, found.database != open?.database {
      return try await writer.perform { try file.check(open) }
    }
    if found.lock != open?.lock {
      lock = nil
      lock = try await writer.perform {
        try Folder.make(file.directory)
        return try StateLock(directory: file.directory)
      }
    }
    if found.database == nil || found.log != open?.log {
      // What was deleted is still open here.
      try await writer.run { try file.bringBack($0) }
      try await openConnections(file, at: now)
    } else {
      identity = await writer.perform { file.identity }
    }
    log.write(.warning, "store", "files of the store were gone from \(file.directory); they were made anew")
  }

  // MARK: Opening

  /// Opens the file; when it can't be, that is reported, and tried again.
  ///
  /// - Throws: ``TooNew``; ``StateLock/Held``.
  package func open() async throws {
    guard let file else { return }
    do {
      try await load(file)
      giveBackFreeMemory()
    } catch let error as Migrator.LaterSchema {
      throw TooNew(directory: file.directory, found: error.found, known: error.known)
    } catch let error as StateLock.Held {
      throw error
    } catch {
      fail(error)
    }
  }

  private func load(_ file: StoreFile) async throws {
    let now = clock.now
    let state: StoredState
    if lock == nil {
      lock = try await writer.perform {
        try Folder.make(file.directory)
        return try StateLock(directory: file.directory)
      }
    }
    do {
      try await openConnections(file, at: now)
      state = try await writer.run { try StoredState($0) }
    } catch let error as SQLiteError where error.kind == .damaged {
      state = try await begin(anew: file, at: now, error)
    }
    // What was kept so far belongs to a state that is not the store's.
    for transaction in queue where transaction.isKept { transaction.isDone.open() }
    queue.removeAll(where: \.isKept)
    note(
      Change(subject: "program") {
        try $0.run("INSERT OR REPLACE INTO meta (name, value) VALUES ('program', ?)", [.text(Version.current)])
      })
    lastSequence = state.events.last
    isLoaded = true
    onLoad(state)
  }

  private func openConnections(_ file: StoreFile, at now: Timestamp) async throws {
    identity = nil
    try await writer.open { try file.open(at: now) }
    try await reader.open { try file.openForReading() }
    // SQLite makes its log with the first look at the file.
    identity = try await writer.run { connection in
      _ = try Migrator.version(of: connection)
      return file.identity
    }
  }

  /// Sets a damaged file aside and begins a new one, whose events are numbered on.
  private func begin(anew file: StoreFile, at now: Timestamp, _ error: SQLiteError) async throws -> StoredState {
    await writer.close()
    await reader.close()
    let (target, last) = try await writer.perform {
      let last = file.lastSequence ?? now.milliseconds / 1000
      return (try file.setAside(at: now), last)
    }
    try await openConnections(file, at: now)
    let message =
      "The store was damaged (\(error)) and set aside as \(target). A new one was begun: what waits is announced once more, and who decided what before is in that file. To go on with a backup instead: stop the agent, `ringi restore FILE`."
    log.write(.error, "store", message)
    problems.report("store/aside", message)
    return try await writer.run { connection in
      try EventRows.begin(after: last, connection)
      return try StoredState(connection)
    }
  }

  /// Records what waits, as far as the disk takes it, and closes the file.
  package func close() async {
    if !isCommitting, !queue.isEmpty {
      isCommitting = true
      await commitAll()
    }
    if isCommitting, let last = queue.last {
      // Cancelled when the time for an orderly end is over.
      try? await last.isDone.wait()
    }
    isClosed = true
    retryAlarm?.cancel()
    trimAlarm?.cancel()
    guard file != nil else { return }
    await reader.close()
    await writer.close()
    lock = nil
  }

  // MARK: Reading

  /// Reads on a thread of its own, beside what is being written.
  ///
  /// - Parameter body: What to read; it sees what is committed.
  /// - Returns: What `body` returns.
  /// - Throws: `RPCError` (unavailable) when the store can't be read; what `body` throws besides.
  func read<R: Sendable>(_ body: @Sendable (Connection) throws -> R) async throws -> R {
    do {
      return try await reader.run(body)
    } catch let error as SQLiteError {
      let trouble = StoreTrouble(error, directory: file?.directory ?? ":memory:")
      if trouble.kind == .damaged { fail(trouble) }
      throw RPCError.unavailable(
        trouble.sentence, details: ["reason": .init(stringLiteral: "store-\(trouble.kind.rawValue)")])
    }
  }

  // MARK: Retention

  /// Begins to let the oldest go, a part of it a minute.
  package func startTrimming() {
    trimAlarm = clock.alarm(after: Self.trimming) { [weak self] in
      guard let self else { return }
      Loop.task { await self.trim() }
    }
  }

  private func trim() async {
    defer { if !isClosed { startTrimming() } }
    guard trouble == nil, isLoaded else { return }
    let (count, since, now) = (retention.events, clock.now - retention.age, clock.now)
    do {
      var isDone = false
      while !isDone, !isClosed {
        let result = try await writer.run { connection in
          try connection.transaction {
            try KeyRows.trim(connection, at: now)
            return try EventRows.trim(connection, keeping: count, since: since, limit: 5000)
          }
        }
        onTrim(result.first)
        isDone = result.isDone
      }
    } catch {
      fail(error)
    }
  }

  /// The file was written by a later version of this program.
  package struct TooNew: Error, CustomStringConvertible {
    let directory: String
    let found: Int
    let known: Int

    package var description: String {
      "The store in \(directory) has the schema \(found), and this version of ringid knows \(known) at most. Use the newer ringid, or give this one another --state."
    }
  }
}

extension Store: Flushable {
  package func flush() {
    isQueuedForFlush = false
    guard !isCommitting else { return }
    isCommitting = true
    Loop.task { await self.commitAll() }
  }
}

extension Change {
  /// Says nothing; whether it can be recorded does.
  fileprivate static let probe = Change(subject: "probe") { connection in
    try connection.run("INSERT OR REPLACE INTO meta (name, value) VALUES ('probe', 1)")
  }
}
