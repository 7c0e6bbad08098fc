internal import Timing

/// Makes ids like the service's: time-based UUIDs (version 1, RFC 9562) that end in the landscape's node.
struct SAPIDs {
  private let node: String
  private var count: UInt64 = 0

  init(_ environment: SAPEnvironment) { node = environment.idSuffix }

  mutating func next(at time: Timestamp) -> String {
    count += 1
    // 100 ns since 1582-10-15; the count keeps ids of one millisecond apart.
    let ticks = UInt64(clamping: time.milliseconds + 12_219_292_800_000) &* 10_000 &+ count
    let digits = Array(String(ticks, radix: 16))
    let padded = Array(repeating: "0", count: max(0, 15 - digits.count)) + digits.suffix(15)
    let high = String(padded[0..<3])
    let middle = String(padded[3..<7])
    let low = String(padded[7..<15])
    return "\(low)-\(middle)-1\(high)-9d2b-\(node)"
  }
}
