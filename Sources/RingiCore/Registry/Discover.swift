internal import EventLoop
internal import JSON
internal import JSONRPC
package import RingiKit

/// `rpc.discover`: the OpenRPC 1.3 document of what a client may call.
///
/// - SeeAlso: spec.open-rpc.org
@Loop
package enum Discover {
  package static func method(_ registry: Registry, version: String) -> Method {
    Method(
      "rpc.discover", "Describes every method as an OpenRPC document.", params: .object([:]),
      result: .any.described("An OpenRPC 1.3 document."),
      handler: .sync { _, call in
        var access: AccessList?
        if case .client(let client) = call.origin { access = (client as? Session)?.access }
        return document(registry, access, version: version)
      })
  }

  static func document(_ registry: Registry, _ access: AccessList?, version: String) -> JSONValue {
    let methods = registry.table.methods.enumerated().filter { access?.allows($0.offset) ?? true }.map(\.element)
    return [
      "openrpc": "1.3.2",
      "info": ["title": "Ringi", "version": JSONValue(version)],
      "methods": JSONValue(array: methods.map(describe)),
    ]
  }

  private static func describe(_ method: Method) -> JSONValue {
    [
      "name": JSONValue(method.name), "summary": JSONValue(method.summary), "paramStructure": "either",
      "params": JSONValue(array: params(method.params)),
      "result": ["name": "result", "schema": method.result.json],
      "errors": JSONValue(array: errors),
    ]
  }

  private static func params(_ schema: Schema) -> [JSONValue] {
    let properties = schema.json["properties"]
    let required = Set(schema.required)
    return schema.propertyNames.map { name in
      [
        "name": JSONValue(name), "required": JSONValue(required.contains(name)),
        "schema": properties?[name] ?? .emptyObject,
      ]
    }
  }

  /// Every code a client may meet.
  private static let errors: [JSONValue] = [
    (-32602, "invalid-params"), (-32603, "internal-error"), (-32000, "overloaded"), (-32001, "forbidden"),
    (-32002, "backend-error"), (-32003, "login-required"), (-32004, "not-found"), (-32005, "conflict"),
    (-32006, "unavailable"), (-32007, "plugin-down"), (-32008, "outcome-unknown"), (-32800, "cancelled"),
  ].map { code, kind in ["code": JSONValue(code), "message": JSONValue(kind)] }
}
