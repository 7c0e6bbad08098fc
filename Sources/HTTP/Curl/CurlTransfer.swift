internal import CCurl
internal import EventLoop
internal import Timing

/// One request on its way; it ends exactly once, with a response or an error.
@Loop final class CurlTransfer {
  private let request: HTTPRequest
  private let easy: CurlEasy
  private let sink: TransferSink
  private let cookies: [String]
  private var idleAlarm: Alarm?
  private var bytesSeen: Int64 = 0
  private var silentChecks = 0
  /// When the first of the server's certificates expires, where that was asked for.
  private(set) var certificateEnd: Timestamp?
  private var outcome: Result<HTTPResponse, HTTPError>?
  private var continuation: CheckedContinuation<Result<HTTPResponse, HTTPError>, Never>?

  /// Prepares the transfer; nothing is sent yet.
  ///
  /// - Throws: `HTTPError` for a malformed header, or an option that libcurl refuses.
  init(_ request: HTTPRequest, tls: TLSSettings, userAgent: String) throws(HTTPError) {
    self.request = request
    easy = try CurlEasy()
    sink = TransferSink(bodyLimit: request.maxResponseBytes, mayRepeat: request.isIdempotent)
    cookies = request.cookies?.lines(port: request.url.origin.port) ?? []
    try sink.attach(to: easy)
    try easy.apply(request, userAgent: userAgent)
    try easy.apply(tls)
    if HTTPTrace.current != nil { try easy.lookAnew() }
    if request.cookies != nil { try easy.enableCookies(cookies) }
  }

  /// Sends the request and waits for the end.
  func run() async -> Result<HTTPResponse, HTTPError> {
    do throws(HTTPError) {
      try CurlMulti.shared.add(self, easy)
    } catch {
      return .failure(error)
    }
    watchForSilence()
    return await withCheckedContinuation { continuation in
      if let outcome {
        continuation.resume(returning: outcome)
      } else {
        self.continuation = continuation
      }
    }
  }

  /// Stops the transfer now; without effect once it has ended.
  func cancel() { fail(.cancelled) }

  /// Stops the transfer now, for `reason`.
  func fail(_ reason: HTTPError.Kind) {
    end(.failure(error(reason)))
  }

  /// Takes libcurl's word that the transfer is over.
  func complete(_ code: CURLcode) {
    certificateEnd = easy.certificateEnd()
    guard code == CURLE_OK else { return fail(failure(code)) }
    end(
      .success(
        HTTPResponse(
          status: easy.int(CURLINFO_RESPONSE_CODE), headers: sink.headers, body: sink.body, url: request.url)))
  }

  private func end(_ outcome: Result<HTTPResponse, HTTPError>) {
    guard self.outcome == nil else { return }
    self.outcome = outcome
    idleAlarm?.cancel()
    CurlMulti.shared.remove(easy)
    request.cookies?.merge(before: cookies, after: easy.cookies(), port: request.url.origin.port)
    continuation?.resume(returning: outcome)
    continuation = nil
  }

  /// Ends the transfer when two checks in a row find nothing new.
  ///
  /// libcurl's own limit counts in seconds, and does not tell silence from the total's end. One check would not do: if
  /// the loop was held up, bytes may be waiting that the alarm overtook.
  private func watchForSilence() {
    idleAlarm = SystemClock.shared.alarm(after: request.timeouts.idle / 2) { [unowned self] in
      let bytes = sink.bytesReceived + easy.size(CURLINFO_SIZE_UPLOAD_T)
      // Until the request leaves, the limit for connecting is the one that counts.
      silentChecks = sink.requestWasSent && bytes == bytesSeen ? silentChecks + 1 : 0
      bytesSeen = bytes
      if silentChecks == 2 { return fail(.timeout(.idle)) }
      watchForSilence()
    }
  }

  private func failure(_ code: CURLcode) -> HTTPError.Kind {
    if let refusal = sink.refusal { return refusal }
    guard code == CURLE_OPERATION_TIMEDOUT else { return easy.failure(code) }
    let wasConnecting = !sink.requestWasSent && request.timeouts.connect < request.timeouts.total
    return .timeout(wasConnecting ? .connect : .total)
  }

  private func error(_ kind: HTTPError.Kind) -> HTTPError {
    HTTPError(kind, requestWasSent: sink.requestWasSent, of: request)
  }
}
