import EventLoop
import Glibc
import RingiTestSupport
import Testing

@Suite struct LoopTests {
  @Test func codeOfTheLoopRunsOnOneThreadThroughEverySuspension() async throws {
    let threads = try await onLoop {
      var seen: Set<UInt> = [UInt(pthread_self())]
      for _ in 0..<100 {
        await Task.yield()
        seen.insert(UInt(pthread_self()))
        try await withThrowingTaskGroup(of: UInt.self) { group in
          for _ in 0..<3 { group.addTask { UInt(pthread_self()) } }
          for try await thread in group { seen.insert(thread) }
        }
        seen.insert(UInt(try await Loop.task { UInt(pthread_self()) }.value))
      }
      return seen
    }
    #expect(threads.count == 1)
  }

  @Test func workFromOtherThreadsIsNotLost() async throws {
    let total = try await onLoop {
      let counter = Counter()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask(executorPreference: globalConcurrentExecutor) {
            for _ in 0..<500 { await counter.increment() }
          }
        }
        try await group.waitForAll()
      }
      return counter.value
    }
    #expect(total == 4000)
  }

  @Test func flushingHappensOnceAfterAllThatWasReady() async throws {
    try await onLoop {
      let output = Output()
      let gate = Gate()
      output.gate = gate
      for text in ["a", "b", "c"] { output.append(text) }
      #expect(output.flushed.isEmpty)
      try await gate.wait()
      #expect(output.flushed == ["abc"])
    }
  }
}

@Loop private final class Counter {
  var value = 0
  func increment() { value += 1 }
}

@Loop private final class Output: Flushable {
  private var text = ""
  var flushed: [String] = []
  var gate: Gate?

  func append(_ more: String) {
    if text.isEmpty { Loop.flushAtEndOfTurn(self) }
    text += more
  }

  func flush() {
    flushed.append(text)
    text = ""
    gate?.open()
  }
}
