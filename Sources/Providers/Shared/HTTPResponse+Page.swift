internal import RingiKit

extension HTTPResponse {
  /// Whether it is a page for a person.
  var isPage: Bool { contentType?.essence == "text/html" || contentType?.essence == "application/xhtml+xml" }
}
