internal import Timing

/// How the sandbox behaves where installations differ, or where nobody knows.
package struct CuramSwitches: SandboxSwitches {
  package enum Server: String, Sendable, CaseIterable {
    case was, liberty
    case libertyOIDC = "liberty-oidc"
    case weblogic

    /// The cookie that stands for the login.
    var authCookie: String {
      switch self {
      case .was, .liberty: "LtpaToken2"
      case .libertyOIDC: "SPMLtpa2Cookie"
      case .weblogic: "_WL_AUTHCOOKIE_JSESSIONID"
      }
    }
  }

  package enum LoginStyle: String, Sendable, CaseIterable { case direct200, redirect302 }

  package enum Expired: String, Sendable, CaseIterable {
    case status401 = "401"
    case redirect, html200
  }

  package enum LogoutPath: String, Sendable, CaseIterable {
    case plain = "/logout"
    case page = "/logout.jsp"
  }

  package var server = Server.was
  package var loginStyle = LoginStyle.direct200
  /// What a caller gets who is not logged in, or not any more.
  package var expired = Expired.status401
  /// Where a single sign-on sends those who are not logged in, and logins too; nil is none.
  package var sso: String?
  package var csrf = false
  package var refererDomains: [String] = []
  package var refererOnLogin = true
  /// Whether `localhost` is taken as a Referer.
  package var devMode = false
  package var logoutPath = LogoutPath.plain
  package var replicas = 1
  /// How many wrong passwords lock an account.
  package var lockout = 5
  /// Whether identifiers are numbers.
  package var numericIDs = false
  /// Whether objects have a member that nobody knows.
  package var extraFields = false
  /// Whether `Location` names another host and context root, as behind a gateway.
  package var badLocation = false
  /// Whether refusals have two entries.
  package var twoErrors = false

  package init() {}

  package var texts: [(name: String, value: String)] {
    [
      ("server", server.rawValue), ("loginStyle", loginStyle.rawValue), ("expired", expired.rawValue),
      ("sso", sso ?? "none"), ("csrf", "\(csrf)"),
      ("refererDomains", refererDomains.isEmpty ? "none" : refererDomains.joined(separator: ",")),
      ("refererOnLogin", "\(refererOnLogin)"), ("devMode", "\(devMode)"), ("logoutPath", logoutPath.rawValue),
      ("replicas", "\(replicas)"), ("lockout", "\(lockout)"), ("numericIDs", "\(numericIDs)"),
      ("extraFields", "\(extraFields)"), ("badLocation", "\(badLocation)"), ("twoErrors", "\(twoErrors)"),
    ]
  }

  package mutating func set(_ name: String, _ text: String) throws(SwitchError) {
    switch name {
    case "server": server = try Self.choice(name, text)
    case "loginStyle": loginStyle = try Self.choice(name, text)
    case "expired": expired = try Self.choice(name, text)
    case "sso": sso = text == "none" ? nil : text
    case "csrf": csrf = try Self.bool(name, text)
    case "refererDomains": refererDomains = text == "none" ? [] : text.split(separator: ",").map(String.init)
    case "refererOnLogin": refererOnLogin = try Self.bool(name, text)
    case "devMode": devMode = try Self.bool(name, text)
    case "logoutPath": logoutPath = try Self.choice(name, text)
    case "replicas":
      replicas = try Self.value(name, text, Int(text).flatMap { [1, 2].contains($0) ? $0 : nil }, "1, 2")
    case "lockout": lockout = try Self.value(name, text, Int(text), "a number")
    case "numericIDs": numericIDs = try Self.bool(name, text)
    case "extraFields": extraFields = try Self.bool(name, text)
    case "badLocation": badLocation = try Self.bool(name, text)
    case "twoErrors": twoErrors = try Self.bool(name, text)
    default: throw unknown(name)
    }
  }
}
