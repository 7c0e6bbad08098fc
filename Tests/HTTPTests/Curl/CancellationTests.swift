import EventLoop
import HTTP
import RingiTestSupport
import Testing

@Suite struct CancellationTests {
  @Test func cancellingStopsTheTransferAndTheServerSeesTheConnectionClose() async throws {
    try await onLoop {
      let arrived = Signal()
      let closed = Signal()
      let server = RawServer { connection in
        _ = connection.request()
        arrived.raise()
        connection.waitForClose()
        closed.raise()
      }
      let request = HTTPRequest(.post, try server.address())
      let task = Loop.task { await failure(of: request) }
      try await arrived.wait()
      task.cancel()
      let error = try await task.value
      #expect(error?.kind == .cancelled)
      #expect(error?.requestWasSent == true)
      try await closed.wait()
    }
  }

  @Test func cancellingFromAnotherThreadStopsTheTransfer() async throws {
    let arrived = Notes<Bool>()
    let server = RawServer { connection in
      _ = connection.request()
      arrived.add(true)
      connection.waitForClose()
    }
    let error = try await withThrowingTaskGroup(of: HTTPError?.self) { group in
      group.addTask { try await onLoop { await failure(of: HTTPRequest(.get, try server.address())) } }
      while arrived.all.isEmpty { await Task.yield() }
      group.cancelAll()
      return try await group.next() ?? nil
    }
    #expect(error?.kind == .cancelled)
  }

  @Test func aTaskCancelledBeforehandSendsNothing() async throws {
    let server = RawServer { _ in }
    try await onLoop {
      let request = HTTPRequest(.get, try server.address())
      let task = Loop.task { await failure(of: request) }
      task.cancel()
      let error = try await task.value
      #expect(error?.kind == .cancelled)
      #expect(error?.requestWasSent == false)
    }
    #expect(server.accepted == 0)
  }

  @Test func manyCancelledAtAnyMomentEndOnceEach() async throws {
    let server = RawServer { connection in
      while connection.request() != nil { connection.send(answer()) }
    }
    try await onLoop {
      let request = HTTPRequest(.get, try server.address())
      for turns in 0..<60 {
        let task = Loop.task { await failure(of: request) }
        for _ in 0..<turns { await Task.yield() }
        task.cancel()
        let error = try await task.value
        #expect(error == nil || error?.kind == .cancelled)
      }
      #expect(try await send(request).status == 200)
    }
  }
}
