/// The three generations of SAP's workflow service, which differ in login, base path and strictness.
package enum SAPEnvironment: String, Sendable, CaseIterable {
  /// SAP Cloud Platform Workflow, Neo environment: Basic authentication, session cookies, XSRF tokens.
  case neo
  /// SAP BTP Workflow, Cloud Foundry: OAuth 2.
  case cf
  /// SAP Build Process Automation: OAuth 2, another base path, validated contexts.
  case sbpa

  /// Where `/v1/...` begins; the first is the documented one.
  var basePaths: [[String]] {
    switch self {
    case .neo, .cf: [["workflow-service", "rest"]]
    case .sbpa: [["public", "workflow", "rest"], ["workflow", "rest"]]
    }
  }

  /// What the service's ids end in.
  var idSuffix: String { self == .neo ? "00163e7a1c44" : "eeee0a80bb17" }
}
