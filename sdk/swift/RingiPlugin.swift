// Plugins for Ringi in Swift: a shared library by ringi_plugin.h, with Swift's names around the C ones.
//
// Put this file among your own, say what your plugin is, and build a dynamic library:
//
//     let ringiPlugin: any RingiPlugin.Type = Todo.self
//
// CRingiPlugin is a module with ringi_plugin.h; its module map has `header "ringi_plugin.h"`, `link "jansson"` and
// `export *`. What a plugin describes, is called with and answers is in Ringi's docs/plugins.md.

import CRingiPlugin

/// A plugin; one object for each instance.
public protocol RingiPlugin: AnyObject, Sendable {
  /// What the library offers: `name`, `version`, `methods`, `tasks`, `taskContext`, `settingsSchema`.
  static var description: Value { get }

  /// Makes an instance; may wait.
  ///
  /// - Parameters:
  ///   - host: What the agent offers, for as long as the object lives.
  ///   - settings: Settings that fit `settingsSchema`, with the values of secrets.
  /// - Throws: Whatever a person can act on; it is tried again later.
  init(host: Host, settings: Value) throws

  /// Answers a call; one at a time, but for methods that are described as `inline`, which come from another thread.
  ///
  /// - Parameters:
  ///   - method: The method's name without the instance, or `tasks.list`, ….
  ///   - params: An object that fits the method's schema.
  ///   - call: For progress, cancellation, and an answer that comes later.
  /// - Returns: The result; `nil` when ``Call/answer(_:)`` or ``Call/fail(_:)`` is called later, from any thread.
  /// - Throws: ``Failure``; any other error becomes a `backend-error` with its description.
  func answer(_ method: String, _ params: Value, _ call: Call) throws -> Value?
}

/// An error that the caller gets.
public struct Failure: Error {
  /// One of the agent's kinds: `invalid-params`, `not-found`, `conflict`, `unavailable`, ….
  public var kind: String
  /// What happened, and what to do next.
  public var message: String
  /// An object with more.
  public var data: Value?

  public init(_ kind: String, _ message: String, data: Value? = nil) {
    (self.kind, self.message, self.data) = (kind, message, data)
  }

  fileprivate init(_ error: any Error) {
    self = error as? Failure ?? Failure("backend-error", "\(error)")
  }

  /// What the agent said.
  fileprivate init(agent error: Value) {
    let data = error["data"]
    self.init(data?["kind"]?.string ?? "backend-error", error["message"]?.string ?? "", data: data)
  }
}

// MARK: - Values

/// A JSON value, one of jansson's that nobody changes any more.
///
/// `@unchecked Sendable`: jansson counts references atomically.
public final class Value: @unchecked Sendable {
  fileprivate let reference: UnsafeMutablePointer<json_t>

  /// Takes over a reference; NULL, which jansson answers when it could make nothing, becomes null.
  public init(taking reference: UnsafeMutablePointer<json_t>?) { self.reference = reference ?? json_null() }

  fileprivate convenience init(borrowing reference: UnsafeMutablePointer<json_t>?) {
    self.init(taking: json_incref(reference))
  }

  deinit { json_decref(reference) }

  /// A reference for somebody who takes it.
  fileprivate func given() -> UnsafeMutablePointer<json_t>? { json_incref(reference) }

  public static var null: Value { Value(taking: json_null()) }

  public convenience init(_ text: String) { self.init(taking: json_string(text)) }
  public convenience init(_ number: Int) { self.init(taking: json_integer(json_int_t(number))) }
  public convenience init(_ number: Double) { self.init(taking: json_real(number)) }
  public convenience init(_ flag: Bool) { self.init(taking: flag ? json_true() : json_false()) }

  public convenience init(_ elements: [Value]) {
    let array = json_array()
    for element in elements { json_array_append_new(array, element.given()) }
    self.init(taking: array)
  }

  public convenience init(_ members: KeyValuePairs<String, Value>) {
    self.init(members: members.map { ($0.key, $0.value) })
  }

  /// An object with its members in the given order.
  public convenience init(members: [(String, Value)]) {
    let object = json_object()
    for (key, value) in members { json_object_set_new(object, key, value.given()) }
    self.init(taking: object)
  }

  public var isNull: Bool { reference.pointee.type == JSON_NULL }
  public var string: String? { json_string_value(reference).map { String(cString: $0) } }
  public var int: Int? { reference.pointee.type == JSON_INTEGER ? Int(json_integer_value(reference)) : nil }
  public var double: Double? {
    [JSON_REAL, JSON_INTEGER].contains(reference.pointee.type) ? json_number_value(reference) : nil
  }
  public var bool: Bool? {
    switch reference.pointee.type {
    case JSON_TRUE: true
    case JSON_FALSE: false
    default: nil
    }
  }
  public var array: [Value]? {
    guard reference.pointee.type == JSON_ARRAY else { return nil }
    return (0..<json_array_size(reference)).map { Value(borrowing: json_array_get(reference, $0)) }
  }
  /// The members of an object, in their order.
  public var members: [(key: String, value: Value)]? {
    guard reference.pointee.type == JSON_OBJECT else { return nil }
    var members: [(key: String, value: Value)] = []
    var iterator = json_object_iter(reference)
    while let at = iterator {
      members.append((String(cString: json_object_iter_key(at)), Value(borrowing: json_object_iter_value(at))))
      iterator = json_object_iter_next(reference, at)
    }
    return members
  }
  /// A member of an object; `nil` where there is none.
  public subscript(key: String) -> Value? {
    json_object_get(reference, key).map { Value(borrowing: $0) }
  }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public convenience init(stringLiteral value: String) { self.init(value) }
  public convenience init(integerLiteral value: Int) { self.init(value) }
  public convenience init(floatLiteral value: Double) { self.init(value) }
  public convenience init(booleanLiteral value: Bool) { self.init(value) }
  public convenience init(nilLiteral: ()) { self.init(taking: json_null()) }
  public convenience init(arrayLiteral elements: Value...) { self.init(elements) }
  public convenience init(dictionaryLiteral elements: (String, Value)...) { self.init(members: elements) }
}

// MARK: - The agent

/// What the agent offers to an instance, from any thread.
///
/// `@unchecked Sendable`: the C functions take calls from any thread.
public final class Host: @unchecked Sendable {
  fileprivate let pointer: UnsafePointer<ringi_host>

  fileprivate init(_ pointer: UnsafePointer<ringi_host>) { self.pointer = pointer }

  /// The instance's name.
  public var instance: String { String(cString: pointer.pointee.instance) }

  public enum Level: String, Sendable { case debug, info, warning, error }

  /// Writes a line to the agent's log.
  public func log(_ level: Level = .info, _ message: String) { pointer.pointee.log(pointer, level.rawValue, message) }

  /// Publishes an event; what is wrong with one is logged.
  public func publish(_ type: String, subject: String? = nil, data: Value = [:]) {
    pointer.pointee.publish(pointer, type, subject, data.given())
  }

  /// Reads what the instance keeps under a key; null where there is nothing.
  ///
  /// It waits, so it is not for inline methods.
  ///
  /// - Throws: ``Failure``.
  public func state(_ key: String) throws -> Value {
    try asked { pointer.pointee.state_get(pointer, key, &$0) }
  }

  /// Keeps a value under a key; null takes it out.
  ///
  /// It waits, so it is not for inline methods.
  ///
  /// - Throws: ``Failure``; what was kept stays.
  public func setState(_ key: String, _ value: Value) throws {
    var error: UnsafeMutablePointer<json_t>?
    guard pointer.pointee.state_set(pointer, key, value.given(), &error) else {
      throw Failure(agent: Value(taking: error))
    }
  }

  /// Calls a method of the agent.
  ///
  /// It waits, so it is not for inline methods.
  ///
  /// - Throws: ``Failure``.
  public func call(_ method: String, _ params: Value = [:]) throws -> Value {
    try asked { pointer.pointee.call(pointer, method, params.given(), &$0) }
  }

  private func asked(
    _ ask: (inout UnsafeMutablePointer<json_t>?) -> UnsafeMutablePointer<json_t>?
  ) throws -> Value {
    var error: UnsafeMutablePointer<json_t>?
    guard let result = ask(&error) else { throw Failure(agent: Value(taking: error)) }
    return Value(taking: result)
  }
}

/// A call that is worked on.
public struct Call: Sendable {
  fileprivate let host: Host
  fileprivate let number: ringi_call

  /// Whether nobody waits for the answer any more.
  public var isCancelled: Bool { host.pointer.pointee.is_cancelled(host.pointer, number) }

  /// Tells the caller how far the work has come.
  public func progress(_ value: Value) { host.pointer.pointee.progress(host.pointer, number, value.given()) }

  /// Answers, where ``RingiPlugin/answer(_:_:_:)`` returned `nil`.
  public func answer(_ result: Value) { host.pointer.pointee.answer(host.pointer, number, result.given()) }

  /// Answers with an error.
  public func fail(_ failure: Failure) {
    host.pointer.pointee.fail(host.pointer, number, failure.kind, failure.message, failure.data?.given())
  }
}

// MARK: - What the agent calls

/// An instance and the host that it was made with.
private final class Instance {
  let host: Host
  let plugin: any RingiPlugin

  init(_ host: Host, _ plugin: any RingiPlugin) { (self.host, self.plugin) = (host, plugin) }
}

@c(ringi_plugin_abi)
public func pluginABI() -> UInt32 { UInt32(RINGI_PLUGIN_ABI) }

@c(ringi_plugin_describe)
public func describePlugin() -> UnsafeMutablePointer<json_t>? { ringiPlugin.description.given() }

@c(ringi_plugin_create)
public func createPlugin(
  _ host: UnsafePointer<ringi_host>, _ settings: UnsafeMutablePointer<json_t>, _ error: UnsafeMutablePointer<CChar>,
  _ size: Int
) -> UnsafeMutableRawPointer? {
  let host = Host(host)
  do {
    let plugin = try ringiPlugin.init(host: host, settings: Value(borrowing: settings))
    return Unmanaged.passRetained(Instance(host, plugin)).toOpaque()
  } catch let reason {
    let message = (reason as? Failure)?.message ?? "\(reason)"
    let bytes = message.utf8.prefix(max(0, size - 1)).map { CChar(bitPattern: $0) } + [0]
    error.update(from: bytes, count: bytes.count)
    return nil
  }
}

@c(ringi_plugin_call)
public func callPlugin(
  _ plugin: UnsafeMutableRawPointer, _ method: UnsafePointer<CChar>, _ params: UnsafeMutablePointer<json_t>,
  _ number: ringi_call
) {
  let instance = Unmanaged<Instance>.fromOpaque(plugin).takeUnretainedValue()
  let call = Call(host: instance.host, number: number)
  do {
    let result = try instance.plugin.answer(String(cString: method), Value(borrowing: params), call)
    if let result { call.answer(result) }
  } catch {
    call.fail(Failure(error))
  }
}

@c(ringi_plugin_destroy)
public func destroyPlugin(_ plugin: UnsafeMutableRawPointer) {
  Unmanaged<Instance>.fromOpaque(plugin).release()
}
