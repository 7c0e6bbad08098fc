internal import CCurl

/// What libcurl's callbacks tell about one transfer.
///
/// The callbacks come from within libcurl's calls, which the loop's thread alone makes.
final class TransferSink {
  private(set) var headers = HTTPHeaders()
  private(set) var body: [UInt8] = []
  /// Why a callback ended the transfer.
  private(set) var refusal: HTTPError.Kind?
  /// Whether the request may have left.
  private(set) var requestWasSent = false

  var bytesReceived: Int64 { Int64(headerBytes + body.count) }

  private let bodyLimit: Int
  private let mayRepeat: Bool
  private var headerBytes = 0

  /// A little less than the limit of libcurl's newer versions, which does not tell what was wrong.
  private static let headerLimit = 256 << 10

  init(bodyLimit: Int, mayRepeat: Bool) {
    self.bodyLimit = bodyLimit
    self.mayRepeat = mayRepeat
  }

  /// Makes `easy` report here; the sink must live as long as the handle's transfer.
  func attach(to easy: CurlEasy) throws(HTTPError) {
    let pointer = Unmanaged.passUnretained(self).toOpaque()
    try easy.set(CURLOPT_WRITEFUNCTION) { bytes, size, count, sink in
      TransferSink.from(sink).receive(body: UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
    try easy.set(CURLOPT_WRITEDATA, pointer)
    try easy.set(CURLOPT_HEADERFUNCTION) { bytes, size, count, sink in
      TransferSink.from(sink).receive(header: UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
    try easy.set(CURLOPT_HEADERDATA, pointer)
    try easy.setPrerequest { sink, _, _, _, _ in TransferSink.from(sink).begin() }
    try easy.set(CURLOPT_PREREQDATA, pointer)
  }

  /// The connection is ready and the request about to leave.
  ///
  /// libcurl by itself repeats a request on a new connection when a kept one turns out to be dead; what the dead one
  /// did with the request nobody knows, so only an idempotent one may go on.
  private func begin() -> Int32 {
    if requestWasSent, !mayRepeat {
      refusal = .reset
      return CURL_PREREQFUNC_ABORT
    }
    requestWasSent = true
    return CURL_PREREQFUNC_OK
  }

  private func receive(body bytes: UnsafeRawBufferPointer) -> Int {
    guard body.count + bytes.count <= bodyLimit else {
      refusal = .tooLarge(bodyLimit)
      return Self.stop(bytes)
    }
    body.append(contentsOf: bytes)
    return bytes.count
  }

  private func receive(header bytes: UnsafeRawBufferPointer) -> Int {
    headerBytes += bytes.count
    guard headerBytes <= Self.headerLimit else {
      refusal = .tooLarge(Self.headerLimit)
      return Self.stop(bytes)
    }
    let line = String(validating: bytes, as: UTF8.self) ?? DecodedText([UInt8](bytes), charset: "iso-8859-1").string
    if line.hasPrefix("HTTP/") {
      headers = HTTPHeaders()  // an interim response came before
    } else if let colon = line.firstIndex(of: ":"), colon != line.startIndex {
      headers.add(String(line[..<colon]), line[line.index(after: colon)...].trimmingBlanks())
    }
    return bytes.count
  }

  /// Any other number than that of the bytes ends the transfer.
  private static func stop(_ bytes: UnsafeRawBufferPointer) -> Int { bytes.isEmpty ? 1 : 0 }

  private static func from(_ pointer: UnsafeMutableRawPointer?) -> TransferSink {
    guard let pointer else { preconditionFailure("libcurl called back without the pointer it was given") }
    return Unmanaged<TransferSink>.fromOpaque(pointer).takeUnretainedValue()
  }
}
