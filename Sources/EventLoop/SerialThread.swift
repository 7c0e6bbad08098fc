internal import Glibc

/// One thread that does what it is given in the order in which it came: what may wait, and must not keep the loop waiting.
///
/// What is shared between threads is touched under the mutex alone: that is the argument for `@unchecked Sendable`.
public final class SerialThread: SerialExecutor, @unchecked Sendable {
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private enum Job {
    case task(UnownedJob)
    case work(@Sendable () -> Void)
  }

  private var jobs: [Job] = []
  private var isStopping = false

  /// Makes a thread that is not started yet.
  public init() {
    lock = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    pthread_mutex_init(lock, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_mutex_destroy(lock)
    pthread_cond_destroy(condition)
    lock.deallocate()
    condition.deallocate()
  }

  /// Starts the thread, which lives until ``stop()``.
  ///
  /// - Throws: `SystemError` when there can be no other thread.
  public func start() throws(SystemError) {
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<SerialThread>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    guard code == 0 else {
      Unmanaged.passUnretained(self).release()
      throw SystemError(code, "pthread_create")
    }
    pthread_detach(thread)
  }

  /// Ends the thread once everything that has been asked for is done.
  public func stop() {
    pthread_mutex_lock(lock)
    isStopping = true
    pthread_cond_signal(condition)
    pthread_mutex_unlock(lock)
  }

  public func enqueue(_ job: consuming ExecutorJob) { append(.task(UnownedJob(job))) }

  /// Has the thread do something after what it was given before; once it was stopped, nothing comes of that.
  public func perform(_ work: @escaping @Sendable () -> Void) { append(.work(work)) }

  private func append(_ job: Job) {
    pthread_mutex_lock(lock)
    // A task has to run wherever it is, or whoever waits for it does so for ever.
    if case .work = job, isStopping {
      pthread_mutex_unlock(lock)
      return
    }
    jobs.append(job)
    pthread_cond_signal(condition)
    pthread_mutex_unlock(lock)
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  private func run() {
    var batch: [Job] = []
    while true {
      pthread_mutex_lock(lock)
      while jobs.isEmpty, !isStopping { pthread_cond_wait(condition, lock) }
      swap(&batch, &jobs)
      pthread_mutex_unlock(lock)
      if batch.isEmpty { return }
      for job in batch {
        switch job {
        case .task(let job): job.runSynchronously(on: asUnownedSerialExecutor())
        case .work(let work): work()
        }
      }
      batch.removeAll(keepingCapacity: true)
    }
  }
}
