extension ChildProcess {
  /// What to run.
  public struct Command: Hashable, Sendable {
    /// The program, then its arguments.
    ///
    /// A program without a slash is looked for in the `PATH` of the agent; a relative one with a slash, and relative
    /// folders in `PATH`, start from ``directory``.
    public var arguments: [String]
    /// The whole environment; nothing is inherited.
    public var environment: [String: String]
    /// The working directory; `nil` for the agent's own.
    public var directory: String?
    /// In force from the program's first moment.
    public var limits = Limits()

    public init(_ arguments: [String], environment: [String: String] = [:], directory: String? = nil) {
      self.arguments = arguments
      self.environment = environment
      self.directory = directory
    }
  }

  /// What a program, and each one that it starts, may use, by setrlimit(2); above zero, and no limit without.
  public struct Limits: Hashable, Sendable {
    /// Bytes of address space.
    public var memory: UInt?
    /// Seconds on a processor.
    public var cpu: UInt?
    /// Open descriptors.
    public var files: UInt?

    public init(memory: UInt? = nil, cpu: UInt? = nil, files: UInt? = nil) {
      (self.memory, self.cpu, self.files) = (memory, cpu, files)
    }
  }

  /// What a program reads from its standard input.
  public enum Input: Sendable {
    /// Nothing.
    case null
    /// These bytes, then the end. A program need not read them.
    case bytes([UInt8])
    /// What ``ChildProcess/write(_:)`` is given, until ``ChildProcess/closeInput()``.
    case pipe
  }

  /// Where a program's output goes.
  public enum Output: Sendable {
    /// Nowhere.
    case null
    /// Into memory: the first so many bytes; the rest is read and counted.
    case captured(limit: Int)
    /// To a handler, as bytes come; they are gone when it returns. An empty buffer, once, says that no more will come.
    case pipe(@Loop @Sendable (UnsafeRawBufferPointer) -> Void)
  }

  /// Output that was kept.
  public struct Captured: Hashable, Sendable {
    public internal(set) var bytes: [UInt8] = []
    /// How many bytes more there were than the limit let in.
    public internal(set) var omitted = 0
  }
}
