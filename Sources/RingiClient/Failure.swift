/// Why a command ends without success: what a person reads on standard error, and the exit code.
package struct Failure: Error, Hashable {
  package let code: ExitCode
  /// One sentence.
  package let message: String
  /// What to do next, a line each.
  package let advice: [String]

  package init(_ code: ExitCode, _ message: String, advice: [String] = []) {
    self.code = code
    self.message = message
    self.advice = advice
  }

  /// A command line that makes no sense.
  static func usage(_ message: String, advice: String...) -> Failure {
    Failure(.usage, message, advice: advice)
  }
}
