/// Returns what two phrases have in common when they count as the same: the text after NFKC and case folding, without
/// the white space and punctuation around it.
///
/// Full-width and ordinary punctuation are alike ("だいじょぶだぁ！" and "だいじょぶだぁ!"); hiragana and katakana are not.
/// The key is empty when the text holds nothing but white space and punctuation; an empty key stands for no phrase.
package func phraseKey(_ text: String) -> String {
  let scalars = caseFolded(text).unicodeScalars
  guard let first = scalars.firstIndex(where: { !surrounds($0) }),
    let last = scalars.lastIndex(where: { !surrounds($0) })
  else { return "" }
  return String(scalars[first...last])
}

/// Whether a scalar at the edge of a phrase says nothing.
private func surrounds(_ scalar: Unicode.Scalar) -> Bool {
  // The wave dash that follows a drawn-out vowel is typed as 〜 (punctuation) or as ～, which NFKC makes a tilde.
  if scalar == "~" { return true }
  let properties = scalar.properties
  if properties.isWhitespace || properties.isDefaultIgnorableCodePoint { return true }
  switch properties.generalCategory {
  case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
    .finalPunctuation, .otherPunctuation, .control:
    return true
  default:
    return false
  }
}
