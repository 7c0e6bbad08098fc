internal import Glibc
package import JSON
internal import Synchronization

/// The answer that a thread of a library waits for.
///
/// `@unchecked Sendable`: the result is written once before the semaphore is raised, and read after it was waited for.
package final class NativeAnswer: @unchecked Sendable {
  /// An error object.
  package struct Failure: Error {
    package let json: JSONValue
    package init(_ json: JSONValue) { self.json = json }
  }

  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
  private var result: Result<JSONValue, Failure>?
  private let isGiven = Atomic<Bool>(false)

  init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Lets the thread go on; the first answer counts.
  package func give(_ result: Result<JSONValue, Failure>) {
    guard !isGiven.exchange(true, ordering: .acquiringAndReleasing) else { return }
    self.result = result
    sem_post(semaphore)
  }

  func wait() -> Result<JSONValue, Failure> {
    // A signal may interrupt it.
    while sem_wait(semaphore) != 0 {}
    return result ?? .failure(Failure(.null))
  }
}
