internal import RingiKit

/// The headers and the error bodies of the service.
@Loop
struct WunderlistWire: TaskListWire {
  private let clientID: String
  /// What gives the instance a token.
  private let advice: String
  private let refusal: TaskListRefusal

  init(instance: String, clientID: String, advice: String, clock: any LoopClock) {
    (self.clientID, self.advice) = (clientID, advice)
    refusal = TaskListRefusal(instance: instance, clock: clock)
  }

  func authorize(_ request: inout HTTPRequest, with token: String) {
    request.headers["X-Access-Token"] = token
    request.headers["X-Client-ID"] = clientID
  }

  func note(_ response: HTTPResponse) {}

  func refusal(_ response: HTTPResponse, _ request: HTTPRequest) -> RPCError {
    let body = WunderlistErrorBody(response)
    switch response.status {
    case 300...399: return refusal.backend(response, "leads elsewhere; check the url setting")
    // A page comes from the proxy before the service, whatever its status says.
    case _ where response.contentType?.essence == "text/html": return refusal.passing(response, nil)
    case 401: return login(body)
    case 500... where body.fields["authentication"] != nil: return login(body)
    case 404: return refusal.missing(response, body.message)
    case 408, 425, 429, 500...: return refusal.passing(response, body.message)
    case 409:
      return .conflict(
        "\(refusal.instance): the revision is out of date; read it again.",
        details: ["provider": JSONValue(refusal.instance), "status": 409])
    default:
      return refusal.backend(
        response, "refused the request\(body.reasons)", code: body.type,
        details: body.fields.isEmpty ? [:] : ["fields": JSONValue(object: body.fields.sorted { $0.key < $1.key })])
    }
  }

  private func login(_ body: WunderlistErrorBody) -> RPCError {
    refusal.login(body.message, advice)
  }
}

/// The body of a refusal: an object, a bare text, or nothing.
struct WunderlistErrorBody {
  let type: String?
  let message: String?
  /// What is said of single fields, beside the message.
  let fields: [String: JSONValue]

  init(_ response: HTTPResponse) {
    let error = (try? response.json())?["error"]
    type = error?["type"]?.string ?? error?.string
    message = error?["message"]?.string ?? error?.string
    let known = ["type", "translation_key", "message", "revision_conflict"]
    fields = Dictionary(
      (error?.object.map { $0.map { ($0.key, $0.value) } } ?? []).filter { !known.contains($0.0) }
    ) { $1 }
  }

  /// The message and what is said of each field, as the end of a sentence.
  var reasons: String {
    let parts = fields.sorted { $0.key < $1.key }.map { name, value in
      "\(name) \(value.array?.compactMap(\.string).joined(separator: ", ") ?? value.description)"
    }
    let text = [
      message.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 },
      parts.isEmpty ? nil : parts.joined(separator: "; "),
    ]
    .compactMap(\.self).joined(separator: ": ")
    return text.isEmpty ? "" : ": \(text)"
  }
}
