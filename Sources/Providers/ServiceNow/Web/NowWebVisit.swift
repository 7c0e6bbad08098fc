internal import HTTPServer
internal import RingiKit

/// What a browser wants with a request.
struct NowWebVisit {
  let method: HTTPMethod
  let url: HTTPURL
  /// What stands for the instance's address in the answer.
  let base: String
  /// Whether it loads a page, in a window or in a frame.
  let isNavigation: Bool
  /// Whether a browser says so itself; then it can be sent to another address.
  let isByBrowser: Bool
  /// Whether the page takes the whole window.
  let isTop: Bool
  /// Whether what comes is a page and no piece of one.
  let isDocument: Bool
  /// Whether it asks for more than what is at hand.
  let isReload: Bool

  init(_ request: ServerRequest, _ url: HTTPURL, base: String) {
    self.url = url
    self.base = base
    method = HTTPMethod(rawValue: request.method) ?? .get
    let mode = request.headers["Sec-Fetch-Mode"]
    let destination = request.headers["Sec-Fetch-Dest"]
    let isByScript = request.headers["X-Requested-With"] != nil || url.target.hasPrefix("/api/")
    // Others than browsers say nothing; what a page asks for names the page.
    let isBare = mode == nil && !isByScript && request.headers["Referer"] == nil
    isByBrowser = mode == "navigate"
    isNavigation = method == .get && (isByBrowser || isBare)
    isTop = isNavigation && (destination ?? "document") == "document"
    isDocument =
      destination.map { ["document", "iframe", "frame", "object", "embed"].contains($0) }
      ?? (mode == nil && !isByScript)
    let wish = request.headers.all("Cache-Control").joined(separator: ",").lowercased()
    isReload =
      ["no-cache", "no-store", "max-age=0"].contains { wish.contains($0) }
      || request.headers["Pragma"]?.lowercased() == "no-cache"
  }

  var isChange: Bool { !method.isSafe }
}
