import Testing

@testable import RingiCore

struct RestartPolicyTests {
  private static let second: Int64 = 1_000_000_000

  @Test("The wait doubles from a second up to a minute while the program lives for half a minute each time")
  func backoff() {
    var policy = RestartPolicy()
    let waits = (0..<9).map { policy.crashed(at: Int64($0) * 100 * Self.second, after: .seconds(30)) }
    #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .restart(after: .seconds($0)) })
  }

  @Test("A program that ran for a minute begins anew with the shortest wait")
  func recovery() {
    var policy = RestartPolicy()
    #expect(policy.crashed(at: 0, after: .zero) == .restart(after: .seconds(1)))
    #expect(policy.crashed(at: Self.second, after: .zero) == .restart(after: .seconds(2)))
    #expect(policy.crashed(at: 70 * Self.second, after: .seconds(60)) == .restart(after: .seconds(1)))
  }

  @Test("Five crashes within a minute are enough, and five within a little more are not")
  func enough() {
    func last(every seconds: Int64) -> RestartPolicy.Step? {
      var policy = RestartPolicy()
      return (0..<5).map { policy.crashed(at: $0 * seconds * Self.second, after: .zero) }.last
    }
    #expect(last(every: 14) == .giveUp)
    #expect(last(every: 15) == .restart(after: .seconds(16)))
  }
}
