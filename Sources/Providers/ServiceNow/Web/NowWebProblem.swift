internal import RingiKit

/// Why a request of a page has no answer of the instance's.
enum NowWebProblem: Error {
  /// The instance sends to another server.
  case elsewhere(HTTPURL)
  /// Nobody is logged in, and that can't be changed; with the reason.
  case noLogin(String)
  /// The session had ended when something was to be changed.
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
  /// A change was sent, and no answer came.
  case unknown(HTTPError)

  /// The status of the page that says so.
  var status: Int {
    switch self {
    case .notSent: 409
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
      "The session had ended, so nothing was sent and nothing was changed. Load the page again, and do it again."
    case .dropped:
      "The instance dropped the request, since too many wait in its queue; nothing was done. Try it again later."
    case .busy: "Too many requests wait for the instance. Load the page again in a moment."
    case .circle(let url):
      "The instance redirects in a circle, by way of \(url). Ask its administrator about its login page."
    case .asleep: "The instance is asleep. Wake it where it was made (developer.servicenow.com)."
    case .noAnswer(let error): "There is no answer of the instance: \(error)."
    case .unknown(let error):
      "The request was sent, and its answer was lost: what it asks for may have happened. Load the page again and look, before doing it again. (\(error).)"
    }
  }

  /// Whether the page that was wanted could not be loaded.
  var isFailedNavigation: Bool {
    if case .elsewhere = self { false } else { true }
  }
}
