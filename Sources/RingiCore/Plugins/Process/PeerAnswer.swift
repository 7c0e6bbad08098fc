internal import JSON
internal import JSONRPC

/// Where an answer's parts are in its line, found without building anything: what a program answers goes on as it came.
struct PeerAnswer {
  let id: Int
  let result: Range<Int>

  /// Looks for an answer that is nothing but a result; `nil` for anything else, which has to be looked at more closely:
  /// an error, a request, an odd message.
  ///
  /// - Parameters:
  ///   - line: A line that a program wrote.
  ///   - scanner: What checks it.
  init?(_ line: UnsafeBufferPointer<UInt8>, _ scanner: JSONScanner) {
    var (id, result): (Range<Int>?, Range<Int>?)
    var isVersionTwo = false
    var isPlain = true
    let isObject = try? scanner.members(of: line) { member in
      if member.isNamed("result", in: line) {
        if result != nil { isPlain = false }
        result = member.value
      } else if member.isNamed("id", in: line) {
        if id != nil { isPlain = false }
        id = member.value
      } else if member.isNamed("jsonrpc", in: line) {
        isVersionTwo = line[member.value].elementsEqual("\"2.0\"".utf8)
      } else if member.isNamed("error", in: line) || member.isNamed("method", in: line) {
        isPlain = false
      }
    }
    guard isObject == true, isPlain, isVersionTwo, let id, let result,
      let number = Int(String(decoding: line[id], as: UTF8.self))
    else { return nil }
    (self.id, self.result) = (number, result)
  }
}
