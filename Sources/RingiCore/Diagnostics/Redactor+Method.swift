internal import EventLoop
internal import JSON
package import RingiKit

extension Redactor {
  /// The method with secrets taken out of its results; for methods that tell of failures.
  package func redacting(_ method: Method) -> Method {
    let handler: Method.Handler =
      switch method.handler {
      case .bytes, .text, .passed: method.handler
      case .sync(let body): .sync { [self] params, call in redact(try body(params, call)) }
      case .async(let body): .async { [self] params, call in redact(try await body(params, call)) }
      }
    return method.with(handler: handler)
  }
}
