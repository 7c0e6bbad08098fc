internal import CLinux
package import EventLoop
internal import Glibc
package import JSON

/// A bound socket that takes clients in.
@Loop
package final class Listener {
  /// Where and for whom to listen.
  package struct Address: Hashable, Sendable {
    package var path: String
    package var mode: UInt32 = 0o600
    package var group: String?
    /// Globs over the methods its clients may call; `nil` for all.
    package var allow: [Glob]?

    package init(path: String, mode: UInt32 = 0o600, group: String? = nil, allow: [Glob]? = nil) {
      self.path = path
      self.mode = mode
      self.group = group
      self.allow = allow
    }
  }

  /// How many clients are taken in at most before others get a turn.
  private static let burst = 64
  /// The pause when there is no room, or the system had no descriptor left.
  private static let pause: Duration = .milliseconds(200)

  package let address: Address
  private let socket: CInt
  private let isInherited: Bool
  private let clock: any LoopClock
  private var descriptor: Descriptor?
  private var alarm: Alarm?
  private let hasRoom: @Loop () -> Bool
  private let accept: @Loop (CInt) -> Void

  /// Begins to listen.
  ///
  /// - Parameters:
  ///   - address: Where.
  ///   - inherited: A listening socket that somebody else made, systemd say; `nil` to make one.
  ///   - clock: Measures the pause when descriptors run out.
  ///   - hasRoom: Whether one more client may come in; others wait in the system's queue.
  ///   - accept: Takes a connected socket.
  /// - Throws: `UnixSocket.BindError`.
  package init(
    _ address: Address, inherited: CInt? = nil, clock: any LoopClock, hasRoom: @escaping @Loop () -> Bool,
    accept: @escaping @Loop (CInt) -> Void
  ) throws(UnixSocket.BindError) {
    self.address = address
    self.clock = clock
    self.hasRoom = hasRoom
    self.accept = accept
    isInherited = inherited != nil
    if let inherited {
      socket = inherited
      _ = fcntl(inherited, F_SETFL, O_NONBLOCK)
    } else {
      socket = try UnixSocket.listen(address.path, mode: address.mode, group: address.group)
    }
    do throws(SystemError) {
      descriptor = try Descriptor(socket, interest: .readable) { [unowned self] _ in self.takeIn() }
    } catch {
      throw .system(address.path, error)
    }
  }

  private func takeIn() {
    for _ in 0..<Self.burst {
      guard hasRoom() else { return rest() }
      let client = ringi_accept(socket)
      guard client >= 0 else {
        // Without a descriptor to spare the socket stays readable: wait, or the loop would spin.
        if [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(errno) { rest() }
        return
      }
      accept(client)
    }
  }

  private func rest() {
    descriptor?.interest = []
    alarm = clock.alarm(after: Self.pause) { [weak self] in self?.descriptor?.interest = .readable }
  }

  /// Stops listening and removes the socket's file.
  package func close() {
    guard descriptor != nil else { return }
    alarm?.cancel()
    descriptor?.cancel()
    descriptor = nil
    close(socket)
    if !isInherited { unlink(address.path) }
  }

  private func close(_ descriptor: CInt) { _ = Glibc.close(descriptor) }

  package var json: JSONValue {
    var members: [(String, JSONValue)] = [
      ("socket", JSONValue(address.path)), ("mode", JSONValue("0" + String(address.mode, radix: 8))),
    ]
    if let group = address.group { members.append(("group", JSONValue(group))) }
    if let allow = address.allow {
      members.append(("allow", JSONValue(array: allow.map { JSONValue($0.description) })))
    }
    return JSONValue(object: members)
  }
}
