internal import CRingiPlugin
internal import JSON

/// The functions of a `ringi_host`, as ringi_plugin.h documents them.
enum NativeFunctions {
  typealias Host = UnsafePointer<ringi_host>?
  typealias Value = UnsafeMutablePointer<json_t>?
  typealias Text = UnsafePointer<CChar>?
  typealias ErrorPlace = UnsafeMutablePointer<UnsafeMutablePointer<json_t>?>?

  /// The object behind a C struct; none for a NULL, which says nothing to anybody.
  private static func object(_ host: Host) -> NativeHost? {
    host?.pointee.agent.map { Unmanaged<NativeHost>.fromOpaque($0).takeUnretainedValue() }
  }

  /// A value that the library gives; `nil` for NULL and for what is no JSON.
  private static func taken(_ value: Value) -> JSONValue? { value.flatMap { JSONValue(taking: $0) } }

  /// The same where NULL stands for an empty object, and what is no JSON becomes null, which is refused further on.
  private static func takenObject(_ value: Value) -> JSONValue {
    value.map { JSONValue(taking: $0) ?? .null } ?? .emptyObject
  }

  private static func text(_ text: Text) -> String { text.map { String(cString: $0) } ?? "" }

  // MARK: What waits for nothing

  static let answer: @convention(c) (Host, UInt64, Value) -> Void = { host, call, result in
    let result = taken(result)
    object(host)?.answer(call) { .answer($0, result) }
  }

  static let fail: @convention(c) (Host, UInt64, Text, Text, Value) -> Void = { host, call, kind, message, data in
    let (kind, message, data) = (kind.map { String(cString: $0) }, text(message), taken(data))
    object(host)?.answer(call) { .failure($0, kind: kind, message: message, data: data) }
  }

  static let progress: @convention(c) (Host, UInt64, Value) -> Void = { host, call, value in
    object(host)?.progress(call, taken(value) ?? .null)
  }

  static let isCancelled: @convention(c) (Host, UInt64) -> Bool = { host, call in
    object(host)?.isCancelled(call) ?? true
  }

  static let log: @convention(c) (Host, Text, Text) -> Void = { host, level, message in
    object(host)?.notify("log", ["level": JSONValue(text(level)), "message": JSONValue(text(message))])
  }

  static let publish: @convention(c) (Host, Text, Text, Value) -> Void = { host, type, subject, data in
    var params: JSONValue = ["type": JSONValue(text(type)), "data": takenObject(data)]
    if let subject { params = params.setting("subject", to: JSONValue(String(cString: subject))) }
    object(host)?.notify("event", params)
  }

  // MARK: What waits for the agent

  /// Asks, and puts an error where the caller wants it.
  private static func ask(
    _ host: Host, _ method: String, _ params: JSONValue, _ error: ErrorPlace
  ) -> JSONValue? {
    error?.pointee = nil
    guard let host = object(host) else { return nil }
    switch host.ask(method, params) {
    case .success(let result): return result
    case .failure(let failure):
      error?.pointee = failure.json.newReference()
      return nil
    }
  }

  /// Says that an argument is no JSON.
  private static func refuse(_ name: String, _ error: ErrorPlace) -> Bool {
    let failure: JSONValue = [
      "code": -32602, "message": JSONValue("\(name): it is no JSON, being too deep, inside itself or not UTF-8."),
      "data": ["kind": "invalid-params", "parameter": JSONValue(name), "retryable": false],
    ]
    error?.pointee = failure.newReference()
    return false
  }

  static let stateGet: @convention(c) (Host, Text, ErrorPlace) -> Value = { host, key, error in
    ask(host, "state.get", ["key": JSONValue(text(key))], error)?.newReference()
  }

  static let stateSet: @convention(c) (Host, Text, Value, ErrorPlace) -> Bool = { host, key, value, error in
    let kept = taken(value)
    guard value == nil || kept != nil else { return refuse("value", error) }
    return ask(host, "state.set", ["key": JSONValue(text(key)), "value": kept ?? .null], error) != nil
  }

  static let call: @convention(c) (Host, Text, Value, ErrorPlace) -> Value = { host, method, params, error in
    let params = takenObject(params)
    return ask(host, "agent.call", ["method": JSONValue(text(method)), "params": params], error)?.newReference()
  }
}
