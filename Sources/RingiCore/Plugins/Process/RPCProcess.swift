package import EventLoop
internal import Glibc
package import JSON
internal import JSONRPC
internal import Timing

/// A program that speaks JSON-RPC 2.0 with the agent on its standard input and output, one message a line.
///
/// Whatever it does or leaves undone stays here: all that waits for it is bounded, and each call ends.
@Loop
package final class RPCProcess {
  /// Who started the program, and hears from it.
  @Loop
  package protocol Owner: AnyObject {
    /// Answers a request, or takes a notification.
    ///
    /// - Throws: `RPCError`, or what becomes an internal error.
    func serve(_ method: String, _ params: JSONValue, from process: RPCProcess) async throws -> JSONValue
    /// The program wrote to its standard error.
    func wroteError(_ bytes: UnsafeRawBufferPointer)
    /// The program wrote what it should not have; a sentence for the log.
    func complain(_ sentence: String)
  }

  /// What the program may make the agent hold.
  package struct Bounds: Sendable {
    /// The longest line that it may write.
    package var lineBytes = 16 << 20
    /// What may wait for it to be read; beyond that calls are refused.
    package var unsentBytes = 8 << 20
    /// How many calls may wait for its answers.
    package var calls = 1024
    /// How many of its own requests and notifications are worked on at once.
    package var requests = 256

    package init() {}
  }

  private final class ServedRequest {
    let id: JSONValue?
    var task: Task<Void, any Error>?
    init(id: JSONValue?) { self.id = id }
  }

  /// How the plugin is called in messages.
  private let name: String
  private let dialect: PluginProtocol
  private let bounds: Bounds
  private let clock: any LoopClock
  private let redactor: Redactor
  private weak var owner: (any Owner)?
  private let child: ChildProcess
  private let hasEnded = Gate()
  private var lines: LineReader
  private let pending: PendingCalls<JSONText>
  private var serving: [ObjectIdentifier: ServedRequest] = [:]
  private var endAlarm: Alarm?
  private var pauseAlarm: Alarm?
  /// What the program writes beyond answers, and what it writes that means nothing.
  private var unasked: TokenBucket
  private var odd: TokenBucket
  /// Why the agent ended the program, where it did.
  package private(set) var failure: String?
  /// Whether calls are still taken.
  private var isOpen = true

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - command: What to run.
  ///   - name: The plugin instance.
  ///   - dialect: What it speaks.
  ///   - bounds: What it may make the agent hold.
  ///   - clock: Measures how long it takes.
  ///   - redactor: Takes secrets out of its errors, and of what is shown of its output.
  ///   - owner: Hears from it; not kept alive.
  /// - Throws: `ChildProcessError`.
  package init(
    _ command: ChildProcess.Command, name: String, dialect: PluginProtocol, bounds: Bounds, clock: any LoopClock,
    redactor: Redactor, owner: any Owner
  ) throws {
    (self.name, self.dialect, self.bounds, self.owner) = (name, dialect, bounds, owner)
    (self.clock, self.redactor) = (clock, redactor)
    pending = PendingCalls(of: name, clock: clock, redactor)
    lines = LineReader(limit: bounds.lineBytes)
    unasked = TokenBucket(capacity: 2000, perSecond: 1000, at: clock.uptime)
    odd = TokenBucket(capacity: 1000, perSecond: 10, at: clock.uptime)
    let heard = Ear()
    child = try ChildProcess(
      command, input: .pipe, output: .pipe { heard.process?.received($0) },
      error: .pipe { [weak owner] in owner?.wroteError($0) }, endsGroup: true)
    heard.process = self
    Loop.task { [self] in
      // Nobody cancels this task.
      _ = try await child.exit
      close()
      hasEnded.open()
    }
  }

  /// Lets the program's output find its way here once there is a here.
  private final class Ear {
    weak var process: RPCProcess?
  }

  package var processID: Int32 { child.processID }

  /// How it ended, once it has.
  package var status: ChildProcess.ExitStatus? { child.status }

  // MARK: Calling

  /// Calls a method of the program.
  ///
  /// - Parameters:
  ///   - method: The method, as the program knows it.
  ///   - params: An object.
  ///   - limit: How long the answer may take; `nil` for as long as the program runs.
  ///   - progress: Takes what the program tells meanwhile; where it is given, the program is asked to.
  /// - Returns: The result.
  /// - Throws: What the program answers, as ``PeerError``; `RPCError` (plugin-down, overloaded, unavailable);
  ///   `CancellationError`, after the program was told.
  package func call(
    _ method: String, _ params: JSONValue, within limit: Duration?,
    progress: (@Loop @Sendable (JSONValue) -> Void)? = nil
  ) async throws -> JSONValue {
    let text = try await call(method, within: limit, progress: progress) { id, message in
      let params = progress == nil ? params : dialect.askingForProgress(params, token: id)
      params.write(into: &message)
    }
    do { return try JSONValue(parsing: text.utf8, options: Self.parsing) } catch {
      throw PeerError.odd("a result that can't be read (\(error.message))", from: name)
    }
  }

  /// The same with params and a result that are not looked into.
  package func call(_ method: String, _ params: JSONText, within limit: Duration?) async throws -> JSONText {
    try await call(method, within: limit, progress: nil) { _, message in params.write(into: &message) }
  }

  private func call(
    _ method: String, within limit: Duration?, progress: ProgressHandler?,
    params: (_ id: Int, inout [UInt8]) -> Void
  ) async throws -> JSONText {
    guard isOpen else { throw RPCError.plugin(isDown: name) }
    guard pending.count < bounds.calls, child.unwritten < bounds.unsentBytes else {
      throw RPCError.overloaded(
        "The plugin \(name) has \(pending.count) calls and \(child.unwritten) bytes to work on; \(method) was not sent, try again later."
      )
    }
    let call = pending.begin(method, progress)
    send { message in MessageWriter.request(method, id: call.id, in: &message) { params(call.id, &$0) } }
    return try await pending.answer(to: call, within: limit) { [weak self] in self?.cancel($0) }
  }

  /// Sends a notification; one that the program has no room for is dropped.
  package func notify(_ method: String, _ params: JSONValue) {
    guard isOpen, child.unwritten < bounds.unsentBytes else { return }
    send { MessageWriter.notification(method, in: &$0) { params.write(into: &$0) } }
  }

  /// Sends a request whose answer is of no interest.
  package func ask(_ method: String, _ params: JSONValue?) {
    guard isOpen, child.unwritten < bounds.unsentBytes else { return }
    let id = pending.newID()
    send { MessageWriter.request(method, id: id, params: params, in: &$0) }
  }

  private func cancel(_ id: Int) {
    let (method, params) = dialect.cancellation(of: id)
    notify(method, params)
  }

  private func send(_ write: (inout [UInt8]) -> Void) {
    child.write { queue in
      write(&queue)
      queue.append(0x0A)
    }
  }

  // MARK: Hearing

  private func received(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return outputEnded() }
    guard isOpen else { return }
    for line in lines.take(bytes) {
      guard isOpen else { return }
      if line.isCut {
        fail("It wrote a line of more than \(bounds.lineBytes) bytes.")
      } else if !line.text.allSatisfy({ $0 == 0x20 || (0x09...0x0D).contains($0) }) {
        take(line.text)
      }
    }
  }

  /// Lets the program wait: what it writes faster than this is nobody's to work on.
  private func pause() {
    guard pauseAlarm == nil else { return }
    child.isOutputPaused = true
    pauseAlarm = clock.alarm(after: .milliseconds(100)) { [weak self] in
      self?.pauseAlarm = nil
      self?.child.isOutputPaused = false
    }
  }

  /// A program whose end is not seen soon can't be heard any more, and is of no use.
  private func outputEnded() {
    guard isOpen, endAlarm == nil else { return }
    endAlarm = clock.alarm(after: .seconds(1)) { [weak self] in self?.fail("It closed its standard output.") }
  }

  private static let parsing = JSONParsingOptions(maxDepth: 256, largeIntegers: .asReal)

  private func take(_ line: [UInt8]) {
    if takeResult(line) { return }
    let message: JSONValue
    do throws(JSONSyntaxError) {
      message = try JSONValue(parsing: line, options: Self.parsing)
    } catch {
      return complain("wrote what is not JSON (\(error.message))", line)
    }
    if dialect.takesBatches, let batch = message.array, !batch.isEmpty {
      for message in batch where isOpen { take(message, line) }
    } else {
      take(message, line)
    }
  }

  private func take(_ message: JSONValue, _ line: [UInt8]) {
    guard message["jsonrpc"]?.string == "2.0" else { return takeOdd(message, line) }
    if let method = message["method"]?.string {
      return take(method, message["params"] ?? .emptyObject, id: message["id"])
    }
    guard let id = message["id"]?.int.map(Int.init) else { return takeOdd(message, line) }
    guard isPending(id, line) else { return }
    pending.settle(id, answer(message))
  }

  /// Takes a line that is a result and nothing else, the most frequent one.
  private func takeResult(_ line: [UInt8]) -> Bool {
    let found: (id: Int, text: [UInt8])? = line.withUnsafeBufferPointer { line in
      guard let answer = PeerAnswer(line, JSONScanner(Self.parsing)) else { return nil }
      let result = UnsafeBufferPointer(rebasing: line[answer.result])
      return LineBreaks.areIn(result) ? nil : (answer.id, Array(result))
    }
    guard let found else { return false }
    if isPending(found.id, line) { pending.settle(found.id, .success(JSONText(scanned: found.text))) }
    return true
  }

  /// Whether a call waits for an answer; that to one that was given up is of no interest, and no other should come.
  private func isPending(_ id: Int, _ line: [UInt8]) -> Bool {
    if pending.isWaiting(id) { return true }
    if !pending.hasMade(id) {
      complain("answered a call that was never made", line)
    } else if pending.hasAnswer(id) {
      complain("answered a call a second time", line)
    }
    return false
  }

  private func answer(_ message: JSONValue) -> Result<JSONText, RPCError> {
    switch (message["result"], message["error"]) {
    case (let result?, nil): return .success(JSONText(result))
    case (nil, let error?): return .failure(dialect.error(error, from: name))
    case (nil, nil): return .failure(PeerError.odd("neither result nor error", from: name))
    case (_?, _?): return .failure(PeerError.odd("both result and error", from: name))
    }
  }

  /// What is no message may still be meant as an answer, whose caller need not wait then.
  private func takeOdd(_ message: JSONValue, _ line: [UInt8]) {
    complain("wrote what is no JSON-RPC 2.0 message", line)
    guard message["method"] == nil, let id = message["id"]?.int.map(Int.init) else { return }
    pending.settle(id, .failure(PeerError.odd("no \"jsonrpc\": \"2.0\"", from: name)))
  }

  /// A program that goes on writing what means nothing, such as a listing, is not the one that was meant.
  private func complain(_ what: String, _ line: [UInt8]) {
    guard odd.take(at: clock.uptime) != nil else {
      return fail("It keeps writing what is no JSON-RPC message to its standard output.")
    }
    owner?.complain("The plugin \(what): \(redactor.excerpt(of: line, bytes: 400))")
  }

  // MARK: Serving

  private func take(_ method: String, _ params: JSONValue, id: JSONValue?) {
    if unasked.take(at: clock.uptime) == nil { pause() }
    if id == nil, let other = dialect.cancelled(method, params) {
      for request in serving.values where request.id == other { request.task?.cancel() }
    } else if id == nil, let (token, value) = dialect.progress(method, params) {
      if let token = token?.int { pending.progress(Int(token), value) }
    } else {
      serve(method, params, id)
    }
  }

  private func serve(_ method: String, _ params: JSONValue, _ id: JSONValue?) {
    guard isOpen, let owner else { return }
    guard serving.count < bounds.requests else {
      let error = RPCError.overloaded("\(serving.count) requests of the plugin \(name) are worked on already.")
      if let id { return respond(id, .failure(error)) }
      return owner.complain("The plugin sent more than the agent can work on at once; \(method) was dropped.")
    }
    let request = ServedRequest(id: id)
    serving[ObjectIdentifier(request)] = request
    request.task = Loop.task { [self] in
      defer { serving[ObjectIdentifier(request)] = nil }
      do {
        let result = try await owner.serve(method, params, from: self)
        if let id { respond(id, .success(result)) }
      } catch {
        let error = Task.isCancelled ? RPCError.cancelled() : rpcError(error)
        if let id { respond(id, .failure(error)) } else { owner.complain("\(method): \(error.message)") }
      }
    }
  }

  private func respond(_ id: JSONValue, _ result: Result<JSONValue, RPCError>) {
    guard isOpen else { return }
    guard child.unwritten < 2 * bounds.unsentBytes else {
      return fail("It does not read its standard input: \(child.unwritten) bytes wait for it.")
    }
    send { message in
      id.utf8.withUnsafeBufferPointer { id in
        switch result {
        case .success(let value):
          MessageWriter.beginResult(id: id, in: &message)
          value.write(into: &message)
          MessageWriter.end(&message)
        case .failure(let error): MessageWriter.error(error, id: id, in: &message)
        }
      }
    }
  }

  // MARK: The end

  /// Waits until the program has ended, and lets everybody go who waits for it.
  ///
  /// - Throws: `CancellationError`.
  package func ended() async throws { try await hasEnded.wait() }

  /// Ends the program at once, with all that it started.
  package func fail(_ reason: String) {
    guard failure == nil else { return }
    failure = reason
    child.signal(SIGKILL)
    close()
  }

  /// Ends the program in an orderly way: it is asked to, then its input ends, then come `SIGTERM` and `SIGKILL`.
  ///
  /// - Parameters:
  ///   - term: From the request to `SIGTERM`.
  ///   - kill: From the request to `SIGKILL`, which a cancellation brings at once.
  package func stop(term: Duration, kill: Duration) async {
    if let shutdown = dialect.shutdown { ask(shutdown, nil) }
    child.closeInput()
    close()
    let child = child
    let alarms = [
      clock.alarm(after: term) { child.signal(SIGTERM) }, clock.alarm(after: kill) { child.signal(SIGKILL) },
    ]
    defer { for alarm in alarms { alarm.cancel() } }
    do { try await ended() } catch { child.signal(SIGKILL) }
  }

  /// Takes no more calls, and lets everybody go who waits for an answer.
  private func close() {
    isOpen = false
    endAlarm?.cancel()
    pauseAlarm?.cancel()
    child.isOutputPaused = false
    pending.settleAll(.plugin(isDown: name))
    for request in serving.values { request.task?.cancel() }
  }
}
