internal import Text

/// A piece of a line with its colour.
///
/// Whatever text it is made of is passed through `visible(_:)`, so nothing from outside can act on the terminal.
struct Styled: Hashable, ExpressibleByStringInterpolation {
  /// The colours and weights in use, by their SGR parameter (ECMA-48, 8.3.117).
  enum Tint: Int {
    case bold = 1
    case dim = 2
    case red = 31
    case green = 32
    case yellow = 33
    case cyan = 36
  }

  let text: String
  let tint: Tint?

  init(_ text: String, _ tint: Tint? = nil) {
    self.text = visible(text)
    self.tint = tint
  }

  init(stringLiteral text: String) {
    self.init(text)
  }

  /// The text as sent, with escape sequences around it when `colored`.
  func rendered(colored: Bool) -> String {
    guard colored, let tint, !text.isEmpty else { return text }
    return "\u{1B}[\(tint.rawValue)m\(text)\u{1B}[0m"
  }

  /// The same style around another text.
  func replacingText(_ change: (String) -> String) -> Styled {
    Styled(change(text), tint)
  }
}
