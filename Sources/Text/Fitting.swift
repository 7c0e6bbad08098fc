/// Returns `text` cut to at most `width` columns; 0 or less gives the empty text.
///
/// A text that is too wide ends with "…", which is counted. The cut falls between graphemes, so the result may be a
/// column narrower than asked for.
package func truncated(_ text: String, to width: Int) -> String {
  guard displayWidth(of: text) > width else { return text }
  guard width > 0 else { return "" }
  var kept = ""
  var used = 1
  for character in text {
    used += displayWidth(of: character)
    guard used <= width else { break }
    kept.append(character)
  }
  return kept + "…"
}

/// Returns `text` with spaces after it up to `width` columns; a wider text is returned as it is.
package func padded(_ text: String, to width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - displayWidth(of: text)))
}
