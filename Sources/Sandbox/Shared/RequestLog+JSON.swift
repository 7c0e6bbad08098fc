internal import HTTPServer
internal import JSON
internal import Timing

extension RequestLog.Entry {
  var json: JSONValue {
    func pairs(_ pairs: [(String, String)]) -> JSONValue {
      JSONValue(array: pairs.map { [JSONValue($0.0), JSONValue($0.1)] as JSONValue })
    }
    return [
      "time": .init(time.rfc3339), "method": .init(request.method), "target": .init(request.target),
      "path": .init(request.path), "query": pairs(request.query.map { ($0.name, $0.value) }),
      "headers": pairs(request.headers.fields.map { ($0.name, $0.value) }),
      "body": .init(String(decoding: request.body, as: UTF8.self)), "status": .init(status),
    ]
  }
}
