import EventLoop

/// What a child has written so far, and a way to wait for it.
@Loop final class Received {
  private(set) var text = ""
  private(set) var ends = 0
  private var awaited: (text: String, gate: Gate)?

  func take(_ bytes: UnsafeRawBufferPointer) {
    if bytes.isEmpty { ends += 1 }
    text += String(decoding: bytes, as: UTF8.self)
    if let awaited, text.hasSuffix(awaited.text) { awaited.gate.open() }
  }

  func until(_ suffix: String) async throws {
    guard !text.hasSuffix(suffix) else { return }
    let gate = Gate()
    awaited = (suffix, gate)
    try await gate.wait()
  }
}

extension ChildProcess.Captured {
  var text: String { String(decoding: bytes, as: UTF8.self) }
}
