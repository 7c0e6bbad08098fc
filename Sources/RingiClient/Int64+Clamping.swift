extension Int64 {
  /// Makes the nearest whole number that is not greater, whatever the agent sent.
  init(clamping value: Double) {
    self = value.isNaN ? 0 : Int64(exactly: value.rounded(.down)) ?? (value < 0 ? .min : .max)
  }
}
