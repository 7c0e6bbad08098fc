import Foundation
import Glibc

/// What a browser sees at an http address of this machine.
struct WebPage {
  let status: Int
  let location: String?
  let text: String

  struct NoAnswer: Error {}

  /// Asks for a page, as a browser does; redirects are not followed.
  static func get(_ address: String) throws -> WebPage {
    let connection = try WebConnection(address)
    connection.send("GET \(connection.target) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    return try connection.page()
  }

  /// Goes through the backend's page to the redirect, as the browser of a person who grants the access.
  static func redirect(from page: String) throws -> String {
    guard let location = try get(page).location else { throw NoAnswer() }
    return location
  }
}

/// A connection of a browser, or of somebody who is none.
final class WebConnection {
  let target: String
  private let socket: Int32

  init(_ address: String) throws {
    guard let url = URLComponents(string: address), let port = url.port else { throw WebPage.NoAnswer() }
    target = String(address.dropFirst("http://127.0.0.1:\(port)".count))
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = UInt16(port).bigEndian
    name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw WebPage.NoAnswer() }
  }

  deinit { close(socket) }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// Reads to the end of the connection.
  func page() throws -> WebPage {
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(socket, &buffer, buffer.count)
      if count <= 0 { break }
      received += buffer[..<count]
    }
    let text = String(decoding: received, as: UTF8.self)
    guard let status = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw WebPage.NoAnswer()
    }
    let location = text.split(separator: "\r\n").first { $0.lowercased().hasPrefix("location: ") }
    return WebPage(status: status, location: location.map { String($0.dropFirst("location: ".count)) }, text: text)
  }
}
