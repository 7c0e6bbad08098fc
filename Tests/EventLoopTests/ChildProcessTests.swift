import EventLoop
import Glibc
import RingiTestSupport
import Testing

@Suite struct ChildProcessTests {
  @Test func theEndIsACodeOrASignal() async throws {
    try await onLoop {
      let ends: [(String, ChildProcess.ExitStatus)] = [
        ("exit 0", .exited(0)), ("exit 7", .exited(7)), ("kill -9 $$", .signalled(SIGKILL)),
      ]
      for (script, end) in ends {
        let child = try shell(script)
        #expect(try await child.exit == end)
      }
    }
  }

  @Test func argumentsAndEnvironmentArriveAsGivenAndNothingElse() async throws {
    try await onLoop {
      let hostile = "$(touch owned) `x`; \"'\\\n稟"
      let command = ChildProcess.Command(["/usr/bin/env"], environment: ["A": hostile])
      let variables = try await lines(command)
      #expect(variables == "A=\(hostile)\n")
      let arguments = try await lines(.init(["printf", "%s|", hostile, "", "-n"]))
      #expect(arguments == "\(hostile)||-n|")
    }
  }

  @Test func relativeCommandsStartFromTheWorkingDirectory() async throws {
    let folder = try TemporaryFolder()
    try folder.write("tool.sh", "#!/bin/sh\npwd -P\n", mode: 0o755)
    try await onLoop {
      let place = try await lines(.init(["./tool.sh"], directory: folder.path))
      #expect(place == "\(folder.path)\n")
    }
  }

  @Test func signalsAreAtTheirDefaultsAndTheGroupIsItsOwn() async throws {
    try await onLoop {
      var (blocked, old) = (sigset_t(), sigset_t())
      sigemptyset(&blocked)
      sigaddset(&blocked, SIGTERM)
      pthread_sigmask(SIG_BLOCK, &blocked, &old)
      defer { pthread_sigmask(SIG_SETMASK, &old, nil) }
      let status = try await lines(.init(["cat", "/proc/self/status"]))
      #expect(status.contains("SigBlk:\t0000000000000000\n"))
      let ignored = status.split(separator: "\n").first { $0.hasPrefix("SigIgn:") }?.split(separator: "\t").last
      // 32 and 33 are glibc's own, and stay what they were.
      #expect(ignored.flatMap { UInt64($0, radix: 16) }.map { $0 & ~0x1_8000_0000 } == 0)

      let child = try ChildProcess(.init(["cat", "/proc/self/stat"]), output: .captured(limit: 4096))
      _ = try await child.exit
      #expect(child.output.text.split(separator: " ")[4] == "\(child.processID)")
    }
  }

  @Test func limitsAreInForceFromTheFirstMoment() async throws {
    try await onLoop {
      var command = ChildProcess.Command(["sh", "-c", "ulimit -v; ulimit -t; ulimit -n; ulimit -H -n"])
      command.limits = .init(memory: 64 << 20, cpu: 7, files: 32)
      let limits = try await lines(command)
      #expect(limits == "65536\n7\n32\n32\n")
    }
  }

  @Test func noDescriptorIsInheritedThatWasNotMeantToBe() async throws {
    try await onLoop {
      let open = open("/dev/null", O_RDONLY)
      let high = fcntl(open, F_DUPFD, 200)
      defer {
        close(open)
        close(high)
      }
      // The last one is the folder that ls reads.
      let numbers = try await lines(.init(["ls", "/proc/self/fd"]))
      #expect(numbers == "0\n1\n2\n3\n")
    }
  }

  @Test func aProgramNeedNotReadItsInput() async throws {
    try await onLoop {
      let bytes = [UInt8](repeating: 0x61, count: 3_000_000)
      #expect(try await ChildProcess(.init(["true"]), input: .bytes(bytes)).exit == .exited(0))
      let reader = try ChildProcess(.init(["wc", "-c"]), input: .bytes(bytes), output: .captured(limit: 100))
      #expect(try await reader.exit == .exited(0))
      #expect(reader.output.text == "3000000\n")
    }
  }

  @Test func aPipeIsWrittenUntilItIsClosed() async throws {
    try await onLoop {
      let echo = Received()
      let child = try ChildProcess(.init(["cat"]), input: .pipe, output: .pipe { echo.take($0) })
      child.write("one ".utf8)
      try await echo.until("one ")
      child.write("two".utf8)
      child.closeInput()
      child.write("late".utf8)
      #expect(try await child.exit == .exited(0))
      #expect(echo.text == "one two")
      #expect(echo.ends == 1)
      #expect(child.unwritten == 0)
    }
  }

  @Test func outputOverTheLimitIsReadAndCounted() async throws {
    try await onLoop {
      let child = try ChildProcess(
        .init(["sh", "-c", "head -c 1000000 /dev/zero; head -c 500 /dev/zero >&2"]), output: .captured(limit: 1000),
        error: .captured(limit: 1000))
      #expect(try await child.exit == .exited(0))
      #expect(child.output.bytes == [UInt8](repeating: 0, count: 1000))
      #expect(child.output.omitted == 999_000)
      #expect(child.error.bytes.count == 500)
    }
  }

  @Test func aGrandchildThatKeepsTheOutputOpenIsNotWaitedFor() async throws {
    try await onLoop {
      let child = try shell("sleep 600 & echo $!", output: .captured(limit: 100))
      #expect(try await child.exit == .exited(0))
      let grandchild = try #require(pid_t(child.output.text.dropLast()))
      #expect(kill(grandchild, SIGKILL) == 0)
    }
  }

  @Test func severalMayWaitAndOneMayGiveUp() async throws {
    try await onLoop {
      let child = try ChildProcess(.init(["cat"]), input: .pipe)
      let waiters = (0..<3).map { _ in Loop.task { try await child.exit } }
      waiters[1].cancel()
      await #expect(throws: CancellationError.self) { try await waiters[1].value }
      child.closeInput()
      #expect(try await waiters[0].value == .exited(0))
      #expect(try await waiters[2].value == .exited(0))
      #expect(try await child.exit == .exited(0))
    }
  }

  @Test func whatCannotBeStartedIsNamed() async throws {
    let folder = try TemporaryFolder()
    try folder.write("plain.txt", "hello\n", mode: 0o644)
    try folder.write("no-interpreter", "#!/no/such/interpreter\n", mode: 0o755)
    try await onLoop {
      #expect(failure(["ringi-no-such-command"]) == .notFound)
      #expect(failure(["./missing"], in: folder.path) == .notFound)
      #expect(failure(["./no-interpreter"], in: folder.path) == .notFound)
      #expect(failure(["./plain.txt"], in: folder.path) == .notExecutable)
      #expect(failure(["true"], in: "\(folder.path)/nowhere") == .directory("\(folder.path)/nowhere"))
      #expect(failure(["true", "a\0b"]) == .malformed)
      #expect(failure([]) == .malformed)
      let error = #expect(throws: ChildProcessError.self) { try ChildProcess(.init(["ringi-no-such-command"])) }
      #expect(error?.description.contains("ringi-no-such-command") == true)
    }
  }

  @Test func manyRunsLeaveNeitherZombiesNorDescriptors() async throws {
    try await onLoop {
      let before = openDescriptors()
      for run in 0..<200 {
        if run % 4 == 0 {
          #expect(throws: ChildProcessError.self) { try ChildProcess(.init(["ringi-no-such-command"]), input: .pipe) }
          continue
        }
        let child = try ChildProcess(
          .init(["sh", "-c", "echo out; echo err >&2"]), input: .bytes([1]), output: .captured(limit: 10),
          error: .pipe { _ in })
        #expect(try await child.gone() == .exited(0))
        #expect(access("/proc/\(child.processID)", F_OK) != 0)
      }
      // Other tests of this process have some of their own open.
      #expect(openDescriptors() < before + 50)
    }
  }
}

// MARK: -

@Loop private func shell(_ script: String, output: ChildProcess.Output = .null) throws -> ChildProcess {
  try ChildProcess(.init(["/bin/sh", "-c", script]), output: output)
}

@Loop private func lines(_ command: ChildProcess.Command) async throws -> String {
  let child = try ChildProcess(command, output: .captured(limit: 10_000))
  #expect(try await child.exit == .exited(0))
  return child.output.text
}

@Loop private func failure(_ arguments: [String], in directory: String? = nil) -> ChildProcessError.Reason? {
  do {
    _ = try ChildProcess(.init(arguments, directory: directory))
    return nil
  } catch {
    return error.reason
  }
}

private func openDescriptors() -> Int {
  guard let folder = opendir("/proc/self/fd") else { return -1 }
  defer { closedir(folder) }
  var count = 0
  while readdir(folder) != nil { count += 1 }
  return count
}
