internal import RingiKit

extension JSONValue {
  /// Whether it is, or has in it, a number of the service's beyond 64 bits, which has lost digits on its way here.
  var hasLostDigits: Bool {
    if let array { return array.contains(where: \.hasLostDigits) }
    if let object { return object.contains { $0.value.hasLostDigits } }
    return kind == .real && (double?.magnitude ?? 0) >= 0x1p63
  }
}
