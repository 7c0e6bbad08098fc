internal import RingiKit

/// The JSON body of a refusal, with one entry or several; most bodies of refusals are none, but pages or empty.
struct CuramErrorBody {
  static let refererCode: Int64 = -150_210
  static let tokenCode: Int64 = -150_220

  let codes: [Int64]
  let messages: [String]

  init(_ response: HTTPResponse) {
    let entries = (try? response.json())?["errors"]?.array.map(Array.init) ?? []
    codes = entries.compactMap { $0["code"]?.int }
    messages = entries.compactMap { $0["message"]?.string }
  }

  /// `: ` and the messages, without a full stop at their end; nothing where there are none.
  var reason: String {
    let text = messages.joined(separator: " ")
    return text.isEmpty ? "" : ": \(text.hasSuffix(".") ? String(text.dropLast()) : text)"
  }
}
