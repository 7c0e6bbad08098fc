import CUnistring

/// The columns that `text` takes on a terminal: two for East Asian wide and full-width characters and for an emoji,
/// one for ambiguous ones, none for combining marks.
///
/// Control characters count nothing; send text through `visible(_:)` first.
package func displayWidth(of text: some StringProtocol) -> Int {
  var width = 0
  for character in text { width += displayWidth(of: character) }
  return width
}

/// The columns of one grapheme.
func displayWidth(of character: Character) -> Int {
  if let byte = character.asciiValue { return byte >= 0x20 && byte < 0x7F ? 1 : 0 }
  let scalars = character.unicodeScalars
  if isEmoji(scalars) { return 2 }
  // A sum, because a grapheme may hold several characters that take columns: half-width kana with its sound mark.
  return scalars.reduce(0) { $0 + max(0, Int(uc_width($1.value, "UTF-8"))) }
}

/// Whether a grapheme is shown as one picture: joined, with a skin tone, a flag, or asked for by U+FE0F.
private func isEmoji(_ scalars: Character.UnicodeScalarView) -> Bool {
  guard let first = scalars.first, first.properties.isEmoji else { return false }
  if first.properties.isEmojiPresentation, !isRegionalIndicator(first) { return true }
  return scalars.dropFirst().contains { next in
    next.value == 0xFE0F || next.value == 0x200D || next.properties.isEmojiModifier || isRegionalIndicator(next)
  }
}

private func isRegionalIndicator(_ scalar: Unicode.Scalar) -> Bool {
  (0x1F1E6...0x1F1FF).contains(scalar.value)
}
