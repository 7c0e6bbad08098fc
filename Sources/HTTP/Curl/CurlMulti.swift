internal import CCurl
internal import EventLoop

/// All transfers of the process: one of libcurl's multi handles, driven by the loop's descriptors and alarms.
///
/// Connections are kept and shared by all clients; libcurl gives one only to requests with the same TLS settings.
@Loop final class CurlMulti {
  static let shared = CurlMulti()

  private let handle: UnsafeMutableRawPointer
  private var descriptors: [CInt: Descriptor] = [:]
  private var alarm: Alarm?
  private var transfers: [UnsafeMutableRawPointer: CurlTransfer] = [:]
  /// Transfers whose socket the loop could not watch, with the reason; they end when libcurl's call has returned.
  private var unwatched: [UnsafeMutableRawPointer: String] = [:]

  private init() {
    let result = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    guard result == CURLE_OK, let handle = curl_multi_init() else {
      preconditionFailure("libcurl cannot start: \(String(cString: curl_easy_strerror(result)))")
    }
    self.handle = handle
    // The one instance lives as long as the process, so the pointer stays good; both callbacks come from within
    // libcurl's calls, that is on the loop's thread.
    let pointer = Unmanaged.passUnretained(self).toOpaque()
    check(ringi_curl_multi_set_pointer(handle, CURLMOPT_SOCKETDATA, pointer))
    check(ringi_curl_multi_set_pointer(handle, CURLMOPT_TIMERDATA, pointer))
    check(
      ringi_curl_multi_set_socket(handle) { easy, socket, what, multi, _ in
        // As a number, since a pointer may not cross into the loop's isolation; it is only looked up there.
        let owner = easy.map { UInt(bitPattern: $0) }
        CurlMulti.from(multi) { $0.watch(socket, what, for: owner) }
        return 0
      })
    check(
      ringi_curl_multi_set_timer(handle) { _, milliseconds, multi in
        CurlMulti.from(multi) { $0.setAlarm(milliseconds) }
        return 0
      })
  }

  /// Begins a transfer; it is told of its end by `complete`.
  ///
  /// - Throws: `HTTPError` when libcurl refuses; the transfer has not begun then.
  func add(_ transfer: CurlTransfer, _ easy: CurlEasy) throws(HTTPError) {
    let code = curl_multi_add_handle(handle, easy.handle)
    guard code == CURLM_OK else { throw HTTPError(.failed("libcurl: \(Self.text(code))")) }
    transfers[easy.handle] = transfer
  }

  /// Ends a transfer's part in the multi handle at once, and its connection with it unless all of the response is here.
  func remove(_ easy: CurlEasy) {
    guard transfers.removeValue(forKey: easy.handle) != nil else { return }
    check(curl_multi_remove_handle(handle, easy.handle))
  }

  private func act(_ socket: curl_socket_t, _ events: CInt) {
    var running: CInt = 0
    check(curl_multi_socket_action(handle, socket, events, &running))
    completeTransfers()
  }

  private func completeTransfers() {
    var left: CInt = 0
    while let message = curl_multi_info_read(handle, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
      transfers[easy]?.complete(ringi_curl_message_result(message))
    }
    guard !unwatched.isEmpty else { return }
    let failures = unwatched
    unwatched = [:]
    for (easy, reason) in failures { transfers[easy]?.fail(.failed(reason)) }
  }

  private func watch(_ socket: CInt, _ what: CInt, for owner: UInt?) {
    if what == CURL_POLL_REMOVE {
      descriptors.removeValue(forKey: socket)?.cancel()
      return
    }
    var interest: Readiness = []
    if what & CURL_POLL_IN != 0 { interest.insert(.readable) }
    if what & CURL_POLL_OUT != 0 { interest.insert(.writable) }
    if let descriptor = descriptors[socket] {
      descriptor.interest = interest
      return
    }
    do {
      descriptors[socket] = try Descriptor(socket, interest: interest) { [unowned self] in
        act(socket, Self.events($0))
      }
    } catch {
      if let owner = owner.flatMap({ UnsafeMutableRawPointer(bitPattern: $0) }) { unwatched[owner] = "\(error)" }
    }
  }

  private func setAlarm(_ milliseconds: Int) {
    alarm?.cancel()
    alarm =
      milliseconds < 0
      ? nil
      : SystemClock.shared.alarm(after: .milliseconds(milliseconds)) { [unowned self] in
        act(CURL_SOCKET_TIMEOUT, 0)
      }
  }

  private static func events(_ readiness: Readiness) -> CInt {
    var events: CInt = 0
    if readiness.contains(.readable) { events |= CURL_CSELECT_IN }
    if readiness.contains(.writable) { events |= CURL_CSELECT_OUT }
    if !readiness.isDisjoint(with: [.error, .hangUp]) { events |= CURL_CSELECT_ERR }
    return events
  }

  /// The codes that remain possible say that this type is wrong, or that the process has no memory left.
  private func check(_ code: CURLMcode) {
    precondition(code == CURLM_OK, "libcurl: \(Self.text(code))")
  }

  private static func text(_ code: CURLMcode) -> String { String(cString: curl_multi_strerror(code)) }

  private nonisolated static func from(_ pointer: UnsafeMutableRawPointer?, _ body: @Loop (CurlMulti) -> Void) {
    guard let pointer else { preconditionFailure("libcurl called back without the pointer it was given") }
    let multi = Unmanaged<CurlMulti>.fromOpaque(pointer).takeUnretainedValue()
    Loop.assumeIsolated { body(multi) }
  }
}
