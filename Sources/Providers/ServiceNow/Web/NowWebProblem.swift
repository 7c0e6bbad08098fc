internal import RingiKit

/// Why a request of a page has no answer of the instance's.
enum NowWebProblem: Error {
  /// The instance sends to another server.
  case elsewhere(HTTPURL)
  /// Nobody is logged in, and that can't be changed; with the reason.
  case noLogin(String)
  /// The session had ended when something was to be changed: the change was refused, or not even sent.
  case notSent
  /// The instance dropped the request (status 202).
  case dropped
  /// Too many requests wait here.
  case busy
  /// The redirects lead in a circle, or on and on; with where.
  case circle(HTTPURL)
  case asleep
  /// No answer came, or one that is of no use.
  case noAnswer(HTTPError)
  /// A change was sent, and may have been made; with what happened then, and the other server that it led to.
  case unknown(String, HTTPURL?)
  /// Somebody has logged in before the answer came, which was for the login before.
  case replaced

  /// The status of the page that says so.
  var status: Int {
    switch self {
    case .notSent, .replaced: 409
    case .dropped, .busy, .asleep: 503
    case .elsewhere, .noLogin, .circle, .noAnswer, .unknown: 502
    }
  }

  /// What happened and what to do, in a sentence.
  var text: String {
    switch self {
    case .elsewhere(let url): "The instance leads to another server, \(url.origin), where its session is not known."
    case .noLogin(let why): "The instance lets nobody in: \(why)"
    case .notSent:
      "The session had ended, so the change was refused: nothing was changed. Load the page again, and do it again."
    case .dropped:
      "The instance dropped the request, since too many wait in its queue; nothing was done. Try it again later."
    case .busy: "Too many requests wait for the instance. Load the page again in a moment."
    case .circle(let url):
      "The instance redirects in a circle, by way of \(url). Ask its administrator about its login page."
    case .asleep: "The instance is asleep. Wake it where it was made (developer.servicenow.com)."
    case .noAnswer(let error): "There is no answer of the instance: \(error)."
    case .unknown(let why, _):
      "The request was sent, and no page shows what became of it: what it asks for may have happened. Load the page again and look, before doing it again. (\(why).)"
    case .replaced: "Somebody has logged in meanwhile. Load the page again."
    }
  }

  /// What it is when it comes after a change was sent, on the way to the page that the change leads to.
  var afterChange: NowWebProblem {
    switch self {
    case .unknown: self
    case .elsewhere(let url): .unknown("It leads to another server, \(url.origin)", url)
    case .noLogin, .notSent: .unknown("The session has ended", nil)
    case .dropped, .busy: .unknown("The instance dropped the request for the page that comes after it", nil)
    case .circle(let url): .unknown("It leads in a circle, by way of \(url)", nil)
    case .asleep: .unknown("The instance is asleep", nil)
    case .noAnswer(let error): .unknown("\(error)", nil)
    case .replaced: .unknown("Somebody has logged in meanwhile", nil)
    }
  }

  /// The other server that the instance leads to.
  var foreign: HTTPURL? {
    switch self {
    case .elsewhere(let url), .unknown(_, let url?): url
    default: nil
    }
  }

  /// Whether the page that was wanted could not be loaded.
  var isFailedNavigation: Bool {
    if case .elsewhere = self { false } else { true }
  }
}
