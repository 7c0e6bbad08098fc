import Glibc
import Synchronization

/// Keeps the threads of a server waiting until a test lets them go.
final class Hold: Sendable {
  private let isHeld = Atomic(true)

  func wait() { while isHeld.load(ordering: .relaxed) { usleep(1000) } }
  func release() { isHeld.store(false, ordering: .relaxed) }
}
