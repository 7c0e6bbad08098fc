internal import RingiKit

extension HTTPResponse {
  /// The body as JSON; nil when there is none, as after a write.
  ///
  /// - Throws: `HTTPBodyError` for anything that is no JSON.
  func plainJSON() throws(HTTPBodyError) -> JSONValue? {
    if body.isEmpty { return nil }
    var response = self
    if contentType?.essence == "text/json" {
      var headers = headers
      headers["Content-Type"] = "application/json"
      response = HTTPResponse(status: status, headers: headers, body: body, url: url)
    }
    return try response.json { text, options throws(JSONSyntaxError) in
      let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
      return try JSONValue(parsing: text.starts(with: mark) ? Array(text.dropFirst(3)) : text, options: options)
    }
  }
}
