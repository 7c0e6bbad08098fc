import EventLoop
import Glibc
import RingiTestSupport
import Testing

@Suite struct DescriptorTests {
  @Test func aReadablePipeCallsItsHandlerUntilItIsEmptied() async throws {
    try await onLoop {
      let (reading, writing) = try pipe()
      let gate = Gate()
      var calls = 0
      let descriptor = try Descriptor(reading, interest: .readable) { readiness in
        #expect(readiness.contains(.readable))
        calls += 1
        if calls == 3 {
          var byte: UInt8 = 0
          #expect(read(reading, &byte, 1) == 1)
          gate.open()
        }
      }
      #expect(write(writing, "x", 1) == 1)
      try await gate.wait()
      await Task.yield()
      #expect(calls == 3)
      descriptor.cancel()
      close(reading)
      close(writing)
    }
  }

  @Test func aDescriptorCancelledInATurnHearsNothingMoreInIt() async throws {
    try await onLoop {
      let (firstReading, firstWriting) = try pipe()
      let (secondReading, secondWriting) = try pipe()
      let watched = Watched()
      let gate = Gate()
      var calls = 0
      for reading in [firstReading, secondReading] {
        watched.descriptors.append(
          try Descriptor(reading, interest: .readable) { _ in
            calls += 1
            for descriptor in watched.descriptors { descriptor.cancel() }
            gate.open()
          })
      }
      write(firstWriting, "x", 1)
      write(secondWriting, "x", 1)
      try await gate.wait()
      for _ in 0..<10 { await Task.yield() }
      #expect(calls == 1)
      for end in [firstReading, firstWriting, secondReading, secondWriting] { close(end) }
    }
  }

  @Test func aFileThatCannotBeWatchedIsRefused() async throws {
    try await onLoop {
      let file = open("/etc/passwd", O_RDONLY)
      #expect(throws: SystemError(EPERM, "epoll_ctl")) {
        _ = try Descriptor(file, interest: .readable) { _ in }
      }
      close(file)
    }
  }

  private func pipe() throws -> (reading: CInt, writing: CInt) {
    var ends: [CInt] = [0, 0]
    guard Glibc.pipe(&ends) == 0 else { throw SystemError.last("pipe") }
    return (ends[0], ends[1])
  }
}

@Loop private final class Watched {
  var descriptors: [Descriptor] = []
}
