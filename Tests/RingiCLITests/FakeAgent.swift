import Foundation
import Glibc
import JSON

/// A scripted agent on a Unix socket, for one connection; its thread ends with that connection.
final class FakeAgent: Sendable {
  /// What it does with a request.
  enum Reply {
    case result(JSONValue)
    case error(JSONValue)
    /// These lines as they are, then on.
    case lines([String])
    /// Nothing, for ever.
    case silence
    /// These lines as they are, then the end of the connection.
    case farewell([String])
  }

  typealias Script = @Sendable (_ method: String, _ params: JSONValue) -> Reply

  let path: String
  private let directory: String
  private let listener: Int32
  private let ended = DispatchSemaphore(value: 0)
  private let received: Guarded<[JSONValue]> = Guarded([])

  /// Listens, and answers on a thread of its own.
  init(_ script: @escaping Script) throws {
    let directory = NSTemporaryDirectory() + "ringi-" + UUID().uuidString.prefix(8)
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    self.directory = directory
    path = directory + "/agent.sock"
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    self.listener = listener
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let bound = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard listener >= 0, bound == 0, listen(listener, 1) == 0 else { throw POSIXError(.EADDRINUSE) }
    Thread.detachNewThread { [received, ended] in
      Self.serve(listener, script, received)
      ended.signal()
    }
  }

  deinit {
    // Wakes the thread if nobody ever connected; else it has ended with the client's connection.
    shutdown(listener, Int32(SHUT_RDWR))
    ended.wait()
    close(listener)
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// The requests so far.
  var requests: [JSONValue] { received.value }

  private static func serve(_ listener: Int32, _ script: Script, _ received: Guarded<[JSONValue]>) {
    let connection = accept(listener, nil, nil)
    guard connection >= 0 else { return }
    defer { close(connection) }
    var buffer: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(connection, &chunk, chunk.count)
      guard count > 0 else { return }
      buffer += chunk.prefix(count)
      while let end = buffer.firstIndex(of: 10) {
        guard let request = try? JSONValue(parsing: Array(buffer[..<end])) else { return }
        buffer.removeFirst(end + 1)
        // A notification, by which the client says who it is.
        if request["id"] == nil { continue }
        received.update { $0.append(request) }
        guard answer(request, script, connection) else { return }
      }
    }
  }

  private static func answer(_ request: JSONValue, _ script: Script, _ connection: Int32) -> Bool {
    func reply(_ key: String, _ value: JSONValue) -> String {
      JSONValue(object: [("jsonrpc", "2.0"), ("id", request["id"] ?? .null), (key, value)]).description
    }
    switch script(request["method"]?.string ?? "", request["params"] ?? .null) {
    case .result(let value): write([reply("result", value)], to: connection)
    case .error(let value): write([reply("error", value)], to: connection)
    case .lines(let lines): write(lines, to: connection)
    case .silence: break
    case .farewell(let lines):
      write(lines, to: connection)
      return false
    }
    return true
  }

  private static func write(_ lines: [String], to connection: Int32) {
    let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
    // A client that went away is the client's affair.
    _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }
}
