extension JSONValue: Decodable {
  /// The value itself, whatever its kind; from another decoder than `decode(_:)`'s, a copy of what that one has.
  public init(from decoder: any Decoder) throws {
    if let decoder = decoder as? JSONValueDecoder {
      self = decoder.value
      return
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self.init(value)
    } else if let value = try? container.decode(Int64.self) {
      self.init(value)
    } else if let value = try? container.decode(Double.self) {
      self.init(value)
    } else if let value = try? container.decode(String.self) {
      self.init(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self.init(array: value)
    } else {
      self.init(object: try container.decode([String: JSONValue].self).map { ($0.key, $0.value) })
    }
  }
}

extension JSONValue: Encodable {
  /// The value itself for `init(encoding:)`, its parts for another encoder.
  public func encode(to encoder: any Encoder) throws {
    if let encoder = encoder as? JSONValueEncoder {
      encoder.target.set(self)
      return
    }
    if let object {
      var container = encoder.container(keyedBy: AnyCodingKey.self)
      for (key, value) in object { try container.encode(value, forKey: .name(key)) }
      return
    }
    var container = encoder.singleValueContainer()
    switch kind {
    case .null: try container.encodeNil()
    case .bool: try container.encode(bool)
    case .integer: try container.encode(int)
    case .real: try container.encode(double)
    case .string: try container.encode(string)
    case .array, .object: try container.encode(array.map(Array.init))
    }
  }
}
