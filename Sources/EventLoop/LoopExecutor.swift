internal import CLinux
internal import Glibc
internal import Synchronization

/// The executor behind ``Loop``: an epoll loop that runs Swift's jobs, ready descriptors and due alarms in turns.
///
/// Everything but the inbox is touched by the loop's thread alone (each entry checks that), the inbox under its mutex:
/// that is the argument for `@unchecked Sendable`.
final class LoopExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
  private let thread = Atomic<UInt>(0)
  private let stopping = Atomic<Bool>(false)

  private let poll: CInt
  private let wakeup: CInt
  private var slots: [Slot] = []
  private var freeSlots: [Int] = []

  private var ready: [UnownedJob] = []
  private var running: [UnownedJob] = []
  var flushing: [any Flushable] = []

  /// Alarms on the monotonic clock, in nanoseconds.
  let alarms = AlarmQueue()

  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private var inbox: [UnownedJob] = []
  private var isWoken = false

  private struct Slot {
    var descriptor: Descriptor?
    var generation: UInt32
  }

  init() {
    poll = epoll_create1(CInt(EPOLL_CLOEXEC))
    wakeup = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
    precondition(
      poll >= 0 && wakeup >= 0, "no descriptors left for the event loop: \(String(cString: strerror(errno)))")
    lock = .allocate(capacity: 1)
    pthread_mutex_init(lock, nil)
    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: UInt64.max))
    precondition(epoll_ctl(poll, EPOLL_CTL_ADD, wakeup, &event) == 0, "the event loop can't be woken")
  }

  var isOnThread: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  // MARK: Executor

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if isOnThread {
      ready.append(job)
      return
    }
    pthread_mutex_lock(lock)
    inbox.append(job)
    let wake = !isWoken
    isWoken = true
    pthread_mutex_unlock(lock)
    if wake { wakeUp() }
  }

  func checkIsolated() {
    precondition(isOnThread, "loop-isolated code was called from another thread")
  }

  func isIsolatingCurrentContext() -> Bool? { isOnThread }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  func stop() {
    stopping.store(true, ordering: .sequentiallyConsistent)
    wakeUp()
  }

  private func wakeUp() {
    var one: UInt64 = 1
    write(wakeup, &one, 8)
  }

  // MARK: Turns

  func run() {
    thread.store(UInt(pthread_self()), ordering: .relaxed)
    stopping.store(false, ordering: .sequentiallyConsistent)
    let capacity = 256
    let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: capacity)
    defer { events.deallocate() }
    while !stopping.load(ordering: .relaxed) {
      runJobs()
      fireAlarms()
      runFlushes()
      let count = epoll_wait(poll, events, CInt(capacity), timeout())
      for index in 0..<max(0, Int(count)) { dispatch(events[index]) }
    }
  }

  /// Runs what is ready; a few passes, so that a chain of short jobs costs no system call and never starves the sockets.
  private func runJobs() {
    for _ in 0..<8 where !ready.isEmpty {
      swap(&ready, &running)
      for job in running {
        job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
      }
      running.removeAll(keepingCapacity: true)
    }
  }

  private func fireAlarms() {
    guard !alarms.isEmpty else { return }
    let now = MonotonicTime.now
    while let alarm = alarms.popDue(at: now) { Loop.assumeIsolated { alarm.fire() } }
  }

  private func runFlushes() {
    while !flushing.isEmpty {
      let batch = flushing
      flushing.removeAll(keepingCapacity: true)
      for object in batch { Loop.assumeIsolated { object.flush() } }
    }
  }

  /// Milliseconds until the next alarm, rounded up; 0 with work waiting, -1 with nothing to wait for.
  private func timeout() -> CInt {
    guard ready.isEmpty, flushing.isEmpty else { return 0 }
    guard let next = alarms.nextDeadline else { return -1 }
    let wait = next - MonotonicTime.now
    return wait <= 0 ? 0 : CInt(clamping: (wait + 999_999) / 1_000_000)
  }

  private func dispatch(_ event: epoll_event) {
    let data = event.data.u64
    if data == UInt64.max { return takeInbox() }
    let slot = Int(UInt32(truncatingIfNeeded: data))
    // A descriptor cancelled earlier in this turn may still have an event here; its slot's generation has moved on.
    guard slots[slot].generation == UInt32(truncatingIfNeeded: data >> 32), let descriptor = slots[slot].descriptor
    else { return }
    Loop.assumeIsolated { descriptor.handler(Readiness(rawValue: event.events)) }
  }

  private func takeInbox() {
    var count: UInt64 = 0
    read(wakeup, &count, 8)
    pthread_mutex_lock(lock)
    ready.append(contentsOf: inbox)
    inbox.removeAll(keepingCapacity: true)
    isWoken = false
    pthread_mutex_unlock(lock)
  }

  // MARK: Descriptors

  func add(_ descriptor: Descriptor, _ interest: Readiness) -> (slot: Int, result: CInt) {
    let slot = freeSlots.popLast() ?? slots.count
    if slot == slots.count { slots.append(Slot(descriptor: nil, generation: 0)) }
    slots[slot].descriptor = descriptor
    let result = control(EPOLL_CTL_ADD, descriptor.fileDescriptor, slot, interest)
    if result != 0 { free(slot) }
    return (slot, result)
  }

  func change(_ slot: Int, _ fileDescriptor: CInt, to interest: Readiness) {
    _ = control(EPOLL_CTL_MOD, fileDescriptor, slot, interest)
  }

  func remove(_ slot: Int, _ fileDescriptor: CInt) {
    _ = control(EPOLL_CTL_DEL, fileDescriptor, slot, [])
    free(slot)
  }

  private func free(_ slot: Int) {
    slots[slot].descriptor = nil
    slots[slot].generation &+= 1
    freeSlots.append(slot)
  }

  private func control(_ operation: CInt, _ fileDescriptor: CInt, _ slot: Int, _ interest: Readiness) -> CInt {
    let data = UInt64(slots[slot].generation) << 32 | UInt64(slot)
    var event = epoll_event(events: interest.rawValue, data: epoll_data_t(u64: data))
    return epoll_ctl(poll, operation, fileDescriptor, &event) == 0 ? 0 : errno
  }
}
