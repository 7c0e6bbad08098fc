/// Returns `text` with every character that would act on a terminal, instead of being shown by it, in a visible form.
///
/// C0 controls and DEL become their pictures (U+2400 block: ␛ for ESC, ␊ for a line feed); C1 controls, bidirectional
/// embeddings, overrides and isolates, and the line and paragraph separators become `<U+202E>` and the like. The result
/// is one line. Text from outside goes through here before it reaches a terminal, a log or an environment variable.
package func visible(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: acts) else { return text }
  var shown = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    switch scalar.value {
    case 0..<0x20: shown.append(picture(scalar.value))
    case 0x7F: shown.append("\u{2421}")
    case _ where acts(scalar): shown.append(contentsOf: codePoint(scalar).unicodeScalars)
    default: shown.append(scalar)
    }
  }
  return String(shown)
}

/// Whether a scalar controls a terminal or the order in which it shows its neighbours.
package func acts(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7F..<0xA0: true  // C0, DEL, C1
  case 0x2028, 0x2029: true  // line and paragraph separators
  case 0x202A...0x202E, 0x2066...0x206F: true  // bidirectional embeddings, overrides, isolates; retired controls
  case 0xFFF9...0xFFFB: true  // interlinear annotation
  default: false
  }
}

/// The picture of a C0 control, in the block made for them.
private func picture(_ control: UInt32) -> Unicode.Scalar {
  Unicode.Scalar(0x2400 + control) ?? "\u{FFFD}"
}

private func codePoint(_ scalar: Unicode.Scalar) -> String {
  let digits = String(scalar.value, radix: 16, uppercase: true)
  return "<U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + ">"
}
