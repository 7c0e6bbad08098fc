internal import RingiKit

/// The body of a refusal, in whichever of its forms; every member may be missing.
struct SAPErrorBody {
  /// The code in one spelling: some servers write `bpm.workflowruntime.rest.task.not.found`, some leave `rest` out.
  let code: String?
  let message: String?
  /// One line for each property that was refused.
  let details: [String]
  let logID: String?

  /// Looks at the declared type first: the body of a refusal is often a page of HTML.
  init(_ response: HTTPResponse) {
    let json = try? response.json()
    let error = json?["error"]
    code = error?["code"]?.string.map(Self.plain)
    message = error?["message"]?.string ?? json?["error_description"]?.string ?? error?.string
    details = error?["details"]?.array?.compactMap { $0["message"]?.string } ?? []
    logID = error?["logId"]?.string
  }

  private static let prefix = "bpm.workflowruntime."

  private static func plain(_ code: String) -> String {
    code.hasPrefix(prefix + "rest.") ? prefix + code.dropFirst((prefix + "rest.").count) : code
  }
}
