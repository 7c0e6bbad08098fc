import EventLoop
import HTTP

/// Answers from a list, and keeps what it was sent.
@Loop final class StubClient: HTTPClient {
  private(set) var requests: [HTTPRequest] = []
  private var answers: [Result<HTTPResponse, HTTPError>]

  init(_ answers: Result<HTTPResponse, HTTPError>...) { self.answers = answers }

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    requests.append(request)
    precondition(!answers.isEmpty, "no answer is left")
    return try answers.removeFirst().get()
  }
}
