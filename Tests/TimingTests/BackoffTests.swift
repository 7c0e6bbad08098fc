import Testing
import Timing

@Suite struct BackoffTests {
  /// Gives numbers that are all near one end. (Not the same ones: a fair draw may ask again.)
  private struct Near: RandomNumberGenerator {
    var value: UInt64
    let step: UInt64
    static var zero: Near { Near(value: 0, step: 1 << 40) }
    static var maximum: Near { Near(value: .max, step: 0 &- (1 << 40)) }

    mutating func next() -> UInt64 {
      defer { value &+= step }
      return value
    }
  }

  @Test func theUpperEndDoublesUpToTheCap() {
    let backoff = Backoff(base: .seconds(1))
    let limits = (1...12).map { backoff.limit(attempt: $0) }
    #expect(limits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900].map { .seconds($0) })
    #expect(backoff.limit(attempt: .max) == .seconds(900))
  }

  @Test func theWaitGoesFromNothingToTheUpperEnd() {
    let backoff = Backoff(base: .seconds(30), cap: .seconds(60))
    var low = Near.zero
    var high = Near.maximum
    #expect(backoff.delay(attempt: 1, using: &low) == .zero)
    #expect(backoff.delay(attempt: 1, using: &high) == .seconds(30))
    #expect(backoff.delay(attempt: 9, using: &low) == .zero)
    #expect(backoff.delay(attempt: 9, using: &high) == .seconds(60))
  }

  @Test func theSystemsRandomNumbersStayWithinTheLimits() {
    let backoff = Backoff(base: .milliseconds(10), cap: .milliseconds(40))
    for attempt in 1...100 {
      let delay = backoff.delay(attempt: attempt)
      #expect(delay >= .zero && delay <= backoff.limit(attempt: attempt))
    }
  }

  @Test func oddValuesAreTakenToTheNearestSensible() {
    #expect(Backoff(base: .seconds(-1)).limit(attempt: 5) == .zero)
    #expect(Backoff(base: .seconds(5000)).limit(attempt: 1) == .seconds(900))
    #expect(Backoff(base: .seconds(1)).limit(attempt: -3) == .seconds(1))
    #expect(Backoff(base: .seconds(1), cap: .seconds(Int64.max)).limit(attempt: 500) == .seconds(Int64.max))
  }
}
