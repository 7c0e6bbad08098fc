import RingiCore
import Testing
import Timing

@Suite struct ULIDGeneratorTests {
  private static let time = Timestamp(milliseconds: 1_795_996_800_000)

  /// Gives the same bits again and again.
  private struct Fixed: RandomNumberGenerator {
    let value: UInt64
    func next() -> UInt64 { value }
  }

  @Test func anIDIsTheTimeAndThenTheRandomBits() {
    // The time that the ULID specification shows, 01ARYZ6S41 for 1469918176385.
    var zeros = ULIDGenerator(random: Fixed(value: 0))
    #expect(zeros.next(at: Timestamp(milliseconds: 1_469_918_176_385)) == "01ARYZ6S410000000000000000")
    var ones = ULIDGenerator(random: Fixed(value: .max))
    #expect(ones.next(at: Timestamp(milliseconds: 1_469_918_176_385)) == "01ARYZ6S41ZZZZZZZZZZZZZZZZ")
  }

  @Test func idsGrowWithinAMillisecondAndAcrossThem() {
    var generator = ULIDGenerator()
    let ids = (0..<10_000).map {
      generator.next(at: Timestamp(milliseconds: Self.time.milliseconds + Int64($0 / 1000)))
    }
    #expect(ids == ids.sorted())
    #expect(Set(ids).count == ids.count)
  }

  @Test func idsGrowWhenTheClockIsSetBack() {
    var generator = ULIDGenerator()
    let first = generator.next(at: Self.time)
    let second = generator.next(at: Self.time - .seconds(3600))
    let third = generator.next(at: Self.time + .milliseconds(1))
    #expect(first < second && second < third)
  }

  @Test func aCarryReachesTheUpperBits() {
    var generator = ULIDGenerator(random: ZerosThenOnes())
    #expect(generator.next(at: Timestamp(milliseconds: 1)) == "0000000001000FZZZZZZZZZZZZ")
    #expect(generator.next(at: Timestamp(milliseconds: 1)) == "0000000001000G000000000000")
  }

  private struct ZerosThenOnes: RandomNumberGenerator {
    private var isFirst = true

    mutating func next() -> UInt64 {
      defer { isFirst = false }
      return isFirst ? 0 : .max
    }
  }
}
