internal import Glibc

/// The executor of a ``Database``: one thread that runs its jobs in the order in which they came.
///
/// What is shared between threads is touched under the mutex alone: that is the argument for `@unchecked Sendable`.
final class DatabaseThread: SerialExecutor, @unchecked Sendable {
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var jobs: [UnownedJob] = []
  private var isStopping = false

  init() {
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

  /// Starts the thread, which keeps the executor alive until ``stop()``.
  func start() {
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<DatabaseThread>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    precondition(code == 0, "no thread could be started for the database: \(String(cString: strerror(code)))")
    pthread_detach(thread)
  }

  /// Ends the thread once everything that has been asked for is done.
  func stop() {
    pthread_mutex_lock(lock)
    isStopping = true
    pthread_cond_signal(condition)
    pthread_mutex_unlock(lock)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    pthread_mutex_lock(lock)
    jobs.append(job)
    pthread_cond_signal(condition)
    pthread_mutex_unlock(lock)
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  private func run() {
    var batch: [UnownedJob] = []
    while true {
      pthread_mutex_lock(lock)
      while jobs.isEmpty, !isStopping { pthread_cond_wait(condition, lock) }
      swap(&batch, &jobs)
      pthread_mutex_unlock(lock)
      if batch.isEmpty { return }
      for job in batch { job.runSynchronously(on: asUnownedSerialExecutor()) }
      batch.removeAll(keepingCapacity: true)
    }
  }
}
