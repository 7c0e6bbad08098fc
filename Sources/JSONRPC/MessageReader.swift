package import JSON

/// Reads one frame: a request, a batch, or neither.
package struct MessageReader: Sendable {
  /// What a frame holds; positions count from the front of the frame.
  package enum Message: Sendable {
    case single(Result<Request, Request.Invalid>)
    /// Each element of the array, a request or not.
    case batch([Result<Request, Request.Invalid>])
    case emptyBatch
    case batchTooLong(count: Int)
  }

  private let scanner: JSONScanner
  private let lenient: JSONScanner
  private let maxBatch: Int

  /// Makes a reader.
  ///
  /// - Parameters:
  ///   - maxDepth: The deepest nesting that a message may have.
  ///   - maxBatch: The most elements of a batch.
  package init(maxDepth: Int, maxBatch: Int) {
    scanner = JSONScanner(JSONParsingOptions(maxDepth: maxDepth))
    lenient = JSONScanner(JSONParsingOptions(maxDepth: maxDepth, largeIntegers: .asReal))
    self.maxBatch = maxBatch
  }

  /// Reads the message that a frame is.
  ///
  /// - Parameter frame: The bytes of one frame.
  /// - Returns: What it holds.
  /// - Throws: `JSONSyntaxError` when the frame is no JSON text.
  package func read(_ frame: UnsafeBufferPointer<UInt8>) throws(JSONSyntaxError) -> Message {
    guard frame.first(where: { !$0.isJSONBlank }) == UInt8(ascii: "[") else { return .single(try request(frame)) }
    var parts: [Range<Int>] = []
    var count = 0
    try lenient.elements(of: frame) {
      count += 1
      if count <= maxBatch { parts.append($0) }
    }
    if count == 0 { return .emptyBatch }
    if count > maxBatch { return .batchTooLong(count: count) }
    var requests: [Result<Request, Request.Invalid>] = []
    requests.reserveCapacity(count)
    for part in parts { requests.append(try request(frame, at: part)) }
    return .batch(requests)
  }

  private func request(
    _ frame: UnsafeBufferPointer<UInt8>, at part: Range<Int>
  ) throws(JSONSyntaxError) -> Result<Request, Request.Invalid> {
    do throws(JSONSyntaxError) {
      switch try request(UnsafeBufferPointer(rebasing: frame[part])) {
      case .success(let request): return .success(request.shifted(by: part.lowerBound))
      case .failure(let invalid): return .failure(invalid.shifted(by: part.lowerBound))
      }
    } catch {
      throw JSONSyntaxError(error.message, at: part.lowerBound + error.byte, of: frame)
    }
  }

  /// Reads a request; an integer too large for 64 bits is accepted as its id, which goes back as it came, and nowhere
  /// else.
  private func request(
    _ text: UnsafeBufferPointer<UInt8>
  ) throws(JSONSyntaxError) -> Result<Request, Request.Invalid> {
    do throws(JSONSyntaxError) {
      return try Request.read(text, scanner)
    } catch {
      guard let result = try? Request.read(text, lenient), let id = result.id else { throw error }
      try scanner.validate(replacing: id, in: text)
      return result
    }
  }

  /// The message and the rest of a line whose beginning is a whole JSON text, with something after it.
  ///
  /// - Parameters:
  ///   - frame: A frame that ``read(_:)`` refused.
  ///   - error: Why it was refused.
  /// - Returns: Where the rest begins, or `nil` when the fault lies elsewhere.
  package func restAfterWholeText(_ frame: UnsafeBufferPointer<UInt8>, _ error: JSONSyntaxError) -> Int? {
    guard error.byte > 0, error.byte < frame.count else { return nil }
    let head = UnsafeBufferPointer(rebasing: frame[..<error.byte])
    return (try? lenient.validate(head)) == nil ? nil : error.byte
  }
}

extension Result<Request, Request.Invalid> {
  fileprivate var id: Range<Int>? {
    switch self {
    case .success(let request): request.id
    case .failure(let invalid): invalid.id
    }
  }
}

extension UInt8 {
  /// Whether it is white space between the parts of a JSON text.
  fileprivate var isJSONBlank: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}

extension Request.Invalid {
  fileprivate func shifted(by offset: Int) -> Request.Invalid {
    Request.Invalid(id: id.map { $0.lowerBound + offset..<$0.upperBound + offset }, message: message)
  }
}

extension JSONScanner {
  /// Checks a text as if a part of it were `1`; used where that part is known to be a number.
  fileprivate func validate(
    replacing part: Range<Int>, in text: UnsafeBufferPointer<UInt8>
  ) throws(JSONSyntaxError) {
    var copy = Array(text)
    for index in part { copy[index] = index == part.lowerBound ? UInt8(ascii: "1") : UInt8(ascii: " ") }
    var failure: JSONSyntaxError?
    copy.withUnsafeBufferPointer { bytes in
      do throws(JSONSyntaxError) { try validate(bytes) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
