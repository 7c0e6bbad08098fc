/// Why a text is no YAML that has a form in JSON, and where.
package struct YAMLError: Error, Equatable, CustomStringConvertible {
  /// From 1.
  package let line: Int
  /// From 1, in Unicode characters.
  package let column: Int
  package let message: String

  package var description: String { "line \(line), column \(column): \(message)" }
}
