internal import EventLoop
package import JSON
internal import JSONRPC
internal import RingiKit

// MARK: - Output

extension Session {
  @inline(__always)
  func answer(
    _ id: UnsafeBufferPointer<UInt8>, _ batch: Batch?, _ result: (inout [UInt8]) throws -> Void
  ) rethrows {
    if let batch { return try answer(id, in: batch, result) }
    let framing = framing
    try stream.write { output in
      let start = output.count
      do {
        MessageWriter.beginResult(id: id, in: &output)
        try result(&output)
        MessageWriter.end(&output)
        MessageWriter.frame(framing, from: start, in: &output)
      } catch {
        output.removeSubrange(start...)
        throw error
      }
    }
  }

  func answer(
    _ id: UnsafeBufferPointer<UInt8>, in batch: Batch, _ result: (inout [UInt8]) throws -> Void
  ) rethrows {
    let start = batch.responses.count
    do {
      if start > 0 { batch.responses.append(UInt8(ascii: ",")) }
      MessageWriter.beginResult(id: id, in: &batch.responses)
      try result(&batch.responses)
      MessageWriter.end(&batch.responses)
    } catch {
      batch.responses.removeSubrange(start...)
      throw error
    }
  }

  /// Answers a request with an error; a notification gets silence.
  func refuseRequest(_ error: RPCError, id: UnsafeBufferPointer<UInt8>?, batch: Batch?) {
    if id != nil { refuse(error, id: id, batch: batch) }
  }

  /// Answers with an error, with id null where none is known.
  func refuse(_ error: RPCError, id: UnsafeBufferPointer<UInt8>?, batch: Batch?) {
    environment.counters.errors += 1
    let error = environment.redactor.redact(error)
    if let batch {
      if !batch.responses.isEmpty { batch.responses.append(UInt8(ascii: ",")) }
      return MessageWriter.error(error, id: id, in: &batch.responses)
    }
    let framing = framing
    stream.write { output in
      let start = output.count
      MessageWriter.error(error, id: id, in: &output)
      MessageWriter.frame(framing, from: start, in: &output)
    }
  }

  func settle(_ batch: Batch) {
    batch.waiting -= 1
    guard batch.waiting == 0, !batch.responses.isEmpty, !stream.isClosed else { return }
    let framing = framing
    stream.write { output in
      let start = output.count
      output.append(UInt8(ascii: "["))
      output.append(contentsOf: batch.responses)
      output.append(UInt8(ascii: "]"))
      MessageWriter.frame(framing, from: start, in: &output)
    }
  }

  /// Sends a notification that `body` writes.
  func notify(_ body: (inout [UInt8]) -> Void) {
    guard !stream.isClosed else { return }
    let framing = framing
    stream.write { Self.frame(framing, in: &$0, body) }
  }

  /// Appends a notification that `body` writes to the stream, which is then to be told to send.
  @inline(__always)
  func append(_ body: (inout [UInt8]) -> Void) {
    let framing = framing
    stream.append { Self.frame(framing, in: &$0, body) }
  }

  @inline(__always)
  static func frame(_ framing: Framing, in output: inout [UInt8], _ body: (inout [UInt8]) -> Void) {
    let start = output.count
    body(&output)
    MessageWriter.frame(framing, from: start, in: &output)
  }

  package func progress(_ token: JSONValue, _ value: JSONValue) {
    // Progress is the first thing that a client who doesn't read does without. A request that was given up is answered.
    guard stream.unsent < Self.highWater, !Task.isCancelled else { return }
    let params: JSONValue = ["token": token, "value": environment.redactor.redact(value)]
    notify { MessageWriter.notification("$/progress", in: &$0) { params.write(into: &$0) } }
  }

  package func turnEnds() { pump() }

  package func drained() {
    pump()
    release()
    closeIfDone()
  }
}
