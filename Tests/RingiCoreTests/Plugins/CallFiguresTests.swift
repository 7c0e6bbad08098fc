import JSONRPC
import RingiKit
import RingiTestSupport
import Testing

@testable import RingiCore

/// How calls are counted.
struct CallFiguresTests {
  @Test("The latency is of the last 128 calls, by the nearest rank")
  func latency() async throws {
    try await onLoop {
      let clock = TestClock()
      let figures = CallFigures(clock: clock)
      #expect(figures.latency == .null)
      // 1, 2, … 228 ms; the first hundred are forgotten.
      for length in 1...228 {
        let began = figures.begin()
        clock.advance(by: .milliseconds(length))
        figures.end(began)
      }
      #expect(figures.latency == ["median": 164.0, "p95": 222.0])
      #expect(figures.calls == 228 && figures.inFlight == 0 && figures.errors == 0)
    }
  }

  @Test("A failure is an error, unless the caller gave up; what was not answered has no time")
  func errors() async throws {
    try await onLoop {
      let figures = CallFigures(clock: TestClock())
      figures.end(figures.begin(), CancellationError())
      figures.end(figures.begin(), RPCError.cancelled())
      #expect(figures.errors == 0)
      figures.end(figures.begin(), RPCError.pluginDown("It is down."))
      #expect(figures.errors == 1 && figures.latency == .null)
      figures.end(figures.begin(), RPCError.conflict("No."))
      #expect(figures.errors == 2 && figures.latency == ["median": 0.0, "p95": 0.0])
      let open = figures.begin()
      #expect(figures.inFlight == 1 && figures.calls == 5)
      figures.end(open)
    }
  }
}
