extension String {
  /// The longest beginning of at most so many bytes that ends between two Unicode characters.
  func prefix(bytes: Int) -> String {
    guard utf8.count > bytes else { return self }
    var end = utf8.index(utf8.startIndex, offsetBy: bytes)
    while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
    return String(self[..<end])
  }

  /// The longest end of at most so many bytes that begins between two Unicode characters.
  func suffix(bytes: Int) -> String {
    guard utf8.count > bytes else { return self }
    var start = utf8.index(utf8.endIndex, offsetBy: -bytes)
    while start.samePosition(in: unicodeScalars) == nil { start = utf8.index(after: start) }
    return String(self[start...])
  }
}
