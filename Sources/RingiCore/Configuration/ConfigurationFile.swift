internal import EventLoop
package import JSON
internal import Timing

/// One file of the configuration, read and parsed; it collects everything that is wrong with it.
package struct ConfigurationFile: Sendable {
  package let path: String
  /// The file's name without the ending, which names what it declares.
  package let name: String
  /// The folder that relative paths in the file start from.
  package let directory: String
  package private(set) var problems: [ConfigurationProblem] = []
  private let text: [UInt8]
  /// What is written there; an empty object when that is no JSON object.
  let value: JSONValue
  /// Whether it is a JSON object, so that more can be said about it.
  let isObject: Bool

  /// Reads a file; one that can't be read or parsed has a problem.
  ///
  /// - Parameters:
  ///   - name: The file's name, with its ending.
  ///   - directory: Its folder.
  package init(_ name: String, in directory: String) {
    path = "\(directory)/\(name)"
    self.name = name.hasSuffix(".json") ? String(name.dropLast(5)) : name
    self.directory = directory
    do throws(ConfigurationText.Unreadable) {
      text = try ConfigurationText.read(path)
    } catch {
      (text, value, isObject) = ([], .emptyObject, false)
      problems = [ConfigurationProblem(file: path, message: "can't be read: \(error.message)")]
      return
    }
    do throws(JSONSyntaxError) {
      let whole = try JSONValue(parsing: text)
      isObject = whole.object != nil
      value = isObject ? whole : .emptyObject
      if !isObject {
        complain(at: .root, "takes an object, { … }, got \(whole.kind == .array ? "an array" : "a single value")")
      }
    } catch {
      (value, isObject) = (.emptyObject, false)
      problems = [ConfigurationProblem(file: path, line: error.line, column: error.column, message: error.message)]
      return
    }
    for double in DuplicateKeys(in: text).found {
      complain(at: double.place, "the key \(JSONValue(double.key)) is here twice; keep one")
    }
  }

  /// Whether nothing is wrong that keeps it from working.
  package var isUsable: Bool { problems.allSatisfy(\.isWarning) }

  // MARK: Complaints

  /// Notes a problem at a place of the file.
  ///
  /// - Parameters:
  ///   - pointer: What the problem is about; where there is no such thing, the nearest one around it is shown.
  ///   - aboutKey: Whether the key there is wrong, not the value.
  ///   - character: How many characters into the value, where the value is a string without escapes.
  ///   - message: What is there, and what would be right.
  ///   - isWarning: Whether the file works all the same.
  package mutating func complain(
    at pointer: JSONPointer, aboutKey: Bool = false, character: Int = 0, _ message: String, isWarning: Bool = false
  ) {
    let place = JSONLocator(text).place(of: pointer, aboutKey ? .key : .value)
    complain(at: TextPlace(line: place.line, column: place.column + character), message, isWarning: isWarning)
  }

  private mutating func complain(at place: TextPlace, _ message: String, isWarning: Bool = false) {
    problems.append(
      ConfigurationProblem(file: path, line: place.line, column: place.column, message: message, isWarning: isWarning))
  }

  /// Checks a part of the file against a schema.
  ///
  /// A part that isn't there is checked as an empty object, for what it lacks.
  mutating func check(_ schema: Schema, at pointer: JSONPointer = .root) {
    guard let part = value[pointer: pointer] else {
      for violation in schema.validate(.emptyObject) {
        complain(at: pointer, "\(pointer.tokens.last ?? ""): \(violation.message)")
      }
      return
    }
    for violation in schema.validate(part) {
      complain(
        at: JSONPointer(tokens: pointer.tokens + violation.pointer.tokens), aboutKey: violation.concernsKey,
        violation.message)
    }
  }

  // MARK: Values

  /// Reads a duration.
  ///
  /// - Parameter pointer: Where it stands.
  /// - Returns: The duration; nil when it is not there, or not one, which the schema complains of.
  mutating func duration(at pointer: JSONPointer) -> Duration? {
    guard let text = value[pointer: pointer]?.string else { return nil }
    do throws(DurationTextError) {
      return try DurationText.parse(text)
    } catch {
      if error.reason == .tooLong { complain(at: pointer, error.description) }
      return nil
    }
  }

  /// Reads a duration that can't be nothing.
  ///
  /// - Parameter pointer: Where it stands.
  /// - Returns: The duration; nil when it is not there, or not one.
  mutating func positiveDuration(at pointer: JSONPointer) -> Duration? {
    guard let duration = duration(at: pointer) else { return nil }
    if duration == .zero {
      complain(at: pointer, "takes a duration above zero, got \(value[pointer: pointer] ?? .null)")
    }
    return duration
  }

  /// Complains of strings that no system call could take whole.
  mutating func refuseNUL(at pointer: JSONPointer) {
    guard let part = value[pointer: pointer] else { return }
    if part.withUTF8({ $0.contains(0) }) == true { complain(at: pointer, "a NUL character can't be passed on") }
    for key in part.object?.keys ?? [] { refuseNUL(at: pointer.appending(key)) }
    for index in part.array?.indices ?? 0..<0 { refuseNUL(at: pointer.appending(index)) }
  }
}
