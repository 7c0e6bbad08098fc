extension Duration {
  /// Whole milliseconds, rounded towards zero; a duration beyond 64 bits of them gives the nearest end.
  package var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (thousands, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, carried) = thousands.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
    return carried ? (seconds < 0 ? .min : .max) : sum
  }
}
