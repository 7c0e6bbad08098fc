internal import EventLoop
internal import JSON
internal import JSONRPC
internal import RingiKit

/// How the calls of one plugin instance went: of its methods and of its tasks.
@Loop
final class CallFigures {
  /// How many of the last calls the latency is taken from.
  nonisolated static let window = 128

  private let clock: any LoopClock
  private(set) var calls = 0
  private(set) var errors = 0
  private(set) var inFlight = 0
  /// The times of the last calls in milliseconds, in no order.
  private var times: [Float] = []
  /// Where the next time goes once there are enough.
  private var next = 0

  init(clock: any LoopClock) { self.clock = clock }

  /// A call begins.
  ///
  /// - Returns: What ``end(_:_:)`` takes.
  func begin() -> Int64 {
    calls += 1
    inFlight += 1
    return clock.uptime
  }

  /// A call has ended.
  ///
  /// - Parameters:
  ///   - began: What ``begin()`` returned.
  ///   - error: Why it failed, if it did.
  func end(_ began: Int64, _ error: (any Error)? = nil) {
    inFlight -= 1
    if let error {
      let kind = (error as? RPCError)?.kind
      // Neither who gave up nor who was too late met a fault of the plugin's.
      if error is CancellationError || kind == "cancelled" { return }
      if !(error is AlreadyDecided) { errors += 1 }
      // These were not sent, or not answered.
      if kind == "plugin-down" || kind == "overloaded" { return }
    }
    let time = Float(clock.uptime - began) / 1e6
    if times.count < Self.window {
      times.append(time)
    } else {
      times[next] = time
      next = (next + 1) % Self.window
    }
  }

  /// Calls the plugin, and counts it.
  func count<T>(_ body: @Loop () async throws -> T) async throws -> T {
    let began = begin()
    do {
      let result = try await body()
      end(began)
      return result
    } catch {
      end(began, error)
      throw error
    }
  }

  /// The median and the 95th percentile in milliseconds; null before the first call has ended.
  var latency: JSONValue {
    guard !times.isEmpty else { return .null }
    let sorted = times.sorted()
    // The nearest rank: so many in a hundred took as long, or less.
    func percentile(_ percent: Int) -> JSONValue {
      JSONValue((Double(sorted[(sorted.count * percent + 99) / 100 - 1]) * 1000).rounded() / 1000)
    }
    return ["median": percentile(50), "p95": percentile(95)]
  }
}

extension Method {
  /// The method with its calls counted.
  @Loop
  func counted(by figures: CallFigures) -> Method {
    // The same four lines each time: a closure around the body would cost more than the counting.
    let handler: Handler =
      switch handler {
      case .bytes(let body):
        .bytes { params, call, output in
          let began = figures.begin()
          do { try body(params, call, &output) } catch { throw figures.failed(began, error) }
          figures.end(began)
        }
      case .sync(let body):
        .sync { params, call in
          let began = figures.begin()
          let result: JSONValue
          do { result = try body(params, call) } catch { throw figures.failed(began, error) }
          figures.end(began)
          return result
        }
      case .async(let body):
        .async { params, call in
          let began = figures.begin()
          let result: JSONValue
          do { result = try await body(params, call) } catch { throw figures.failed(began, error) }
          figures.end(began)
          return result
        }
      case .passed(let body):
        .passed { params, call in
          let began = figures.begin()
          let result: JSONText
          do { result = try await body(params, call) } catch { throw figures.failed(began, error) }
          figures.end(began)
          return result
        }
      case .text(let body):
        .text { params, call in
          let began = figures.begin()
          let result: JSONText
          do { result = try await body(params, call) } catch { throw figures.failed(began, error) }
          figures.end(began)
          return result
        }
      }
    return with(handler: handler)
  }
}

extension CallFigures {
  /// A call has failed.
  ///
  /// - Returns: The error.
  fileprivate func failed(_ began: Int64, _ error: any Error) -> any Error {
    end(began, error)
    return error
  }
}
