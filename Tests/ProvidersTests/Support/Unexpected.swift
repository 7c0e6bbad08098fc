/// Something that a test takes for granted is not so.
struct Unexpected: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

func required<T>(_ value: T?, _ line: Int = #line) throws -> T {
  guard let value else { throw Unexpected("nothing there (line \(line))") }
  return value
}
