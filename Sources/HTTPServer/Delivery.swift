/// How a response goes out; the plain value sends it whole and at once, others imitate servers and networks in trouble.
package struct Delivery: Sendable, Equatable {
  package enum Ending: Sendable, Equatable {
    case answer
    /// The connection is reset (RST) and nothing is answered.
    case reset
    /// Nothing is answered, until the client hangs up or the server stops.
    case hang
  }

  /// Waited before the ending, whichever it is.
  package var delay: Duration
  /// The pace of the body; nil is full speed.
  package var bytesPerSecond: Int?
  /// The connection is closed after so many bytes of the body, although Content-Length announced all of it.
  package var cutAfter: Int?
  /// Whether the cut is a reset (RST).
  package var cutsByReset: Bool
  package var ending: Ending

  package init(
    delay: Duration = .zero, bytesPerSecond: Int? = nil, cutAfter: Int? = nil, cutsByReset: Bool = false,
    ending: Ending = .answer
  ) {
    self.delay = delay
    self.bytesPerSecond = bytesPerSecond
    self.cutAfter = cutAfter
    self.cutsByReset = cutsByReset
    self.ending = ending
  }
}
