import Testing

@testable import RingiCore

struct TokenBucketTests {
  @Test("So many pass at once, then so many a second, and the next one tells how many were held back")
  func rate() {
    var bucket = TokenBucket(capacity: 2, perSecond: 10, at: 0)
    #expect((0..<4).map { _ in bucket.take(at: 0) } == [0, 0, nil, nil])
    #expect(bucket.take(at: 100_000_000) == 2)
    #expect(bucket.take(at: 100_000_000) == nil)
    #expect((0..<3).map { _ in bucket.take(at: 10_000_000_000) } == [1, 0, nil])
  }
}
