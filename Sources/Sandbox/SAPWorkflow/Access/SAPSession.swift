internal import HTTPServer
internal import Timing

/// A session of the Neo environment, with the cookies that name it.
struct SAPSession {
  let user: String
  let id: String
  /// The XSRF token, the same while the session lives.
  let token: String
  private let tenant: String
  /// Names the node that knows the session; begins with `!` and holds `/`, `+` and `=`, as load balancers' values do.
  let affinity: String
  var lastUsed: Timestamp

  init(user: String, now: Timestamp) {
    self.user = user
    id = RandomText.upperHex(64)
    token = RandomText.upperHex(32)
    tenant = Base64.encode(RandomText.bytes(20)).replacing("+", with: "%2B").replacing("/", with: "%2F")
      .replacing("=", with: "%3D")
    affinity = "!" + String(Base64.encode(RandomText.bytes(30)).dropLast(2)) + "/+="
    lastUsed = now
  }

  static let idCookie = "JSESSIONID"

  static func affinityCookie(_ configuration: SAPWorkflowConfiguration) -> String {
    "BIGipServer~jpaas_folder~bpmworkflowruntimewfs.\(configuration.account)"
  }

  func cookies(_ configuration: SAPWorkflowConfiguration) -> [String] {
    [
      "\(Self.idCookie)=\(id); Path=/workflow-service; Secure; HttpOnly",
      "JTENANTSESSIONID_\(configuration.account)=\(tenant); Domain=\(configuration.cookieDomain); "
        + "Path=/; Secure; HttpOnly",
      "\(Self.affinityCookie(configuration))=\(affinity); path=/; httponly; secure",
    ]
  }
}
