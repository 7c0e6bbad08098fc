internal import JSON
internal import Timing

/// The body of a PATCH on a task.
struct SAPTaskPatch {
  private static let members: Set = [
    "status", "decision", "context", "subject", "description", "priority", "dueDate", "processor", "recipientUsers",
    "recipientGroups",
  ]

  let status: String?
  let decision: String?
  let context: JSONValue?
  private let subject: String?
  private let description: String?
  private let priority: String?
  private let dueDate: String?
  let processor: String?
  private let recipientUsers: String?
  private let recipientGroups: String?
  private let confidenceLevel: Double?
  private let names: [String]

  /// - Throws: 400 when a member has the wrong type. Unknown members are left to `problems`.
  init(_ body: JSONValue) throws(SAPError) {
    names = body.object?.keys ?? []
    status = try body.string("status")
    decision = try body.string("decision")
    context = try body.objectMember("context")
    subject = try body.string("subject")
    description = try body.string("description")
    priority = try body.string("priority")
    dueDate = try body.string("dueDate")
    processor = try body.string("processor")
    recipientUsers = try body.string("recipientUsers")
    recipientGroups = try body.string("recipientGroups")
    confidenceLevel = body["confidenceLevel"]?.double
    if body["confidenceLevel"] != nil, confidenceLevel == nil { throw .notJSON }
  }

  /// Whether it only does what completing a task takes, which its recipients may do.
  var isCompletionOnly: Bool {
    Set(names).isSubset(of: ["status", "decision", "context"]) && (context == nil || status != nil)
  }

  /// Every property that cannot be set so; none are set unless there is none.
  func problems(with task: SAPTask, in environment: SAPEnvironment) -> [String] {
    var problems: [String] = []
    func check(_ isValid: Bool, _ problem: String) { if !isValid { problems.append(problem) } }
    func checkLength(_ text: String?, _ name: String, _ limit: Int) {
      check((text?.utf16.count ?? 0) <= limit, "The value of '\(name)' is longer than \(limit) characters.")
    }
    check(status == nil || status == "COMPLETED", "The value of 'status' must be COMPLETED.")
    check(decision == nil || status == "COMPLETED", "A 'decision' is possible only with the status COMPLETED.")
    checkLength(decision, "decision", 255)
    checkLength(subject, "subject", 255)
    checkLength(description, "description", 4000)
    check(priority.map { SAPTask.Priority(rawValue: $0) != nil } ?? true, "The value of 'priority' is unknown.")
    check(dueDate.map { SAPTime.parse($0) != nil } ?? true, "The value of 'dueDate' is not a date.")
    checkLength(processor, "processor", 255)
    check(processor?.contains(",") != true, "The value of 'processor' contains a comma.")
    problems += Self.problems(withNames: recipientUsers, of: "recipientUsers")
    problems += Self.problems(withNames: recipientGroups, of: "recipientGroups")
    if let level = confidenceLevel, environment == .sbpa {
      check(level == -1 || (0...1).contains(level), "The value of 'confidenceLevel' is not between 0.0 and 1.0.")
    }
    let known = environment == .sbpa ? Self.members.union(["confidenceLevel"]) : Self.members
    problems += names.filter { !known.contains($0) }.map { "There is no property '\($0)'." }
    if environment == .sbpa, let outputs = task.outputs {
      let strangers = context?.object?.keys.filter { !outputs.contains($0) } ?? []
      problems += strangers.map { "The task has no output '\($0)'." }
    }
    return problems
  }

  /// Sets the properties other than status, decision and context.
  func setProperties(of task: inout SAPTask, at now: Timestamp) {
    if let subject { task.subject = subject }
    if let description { task.description = description }
    if let priority = priority.flatMap(SAPTask.Priority.init) { task.priority = priority }
    if let dueDate = dueDate.flatMap(SAPTime.parse) { task.dueDate = dueDate }
    if let recipientUsers { task.recipientUsers = Self.names(recipientUsers) }
    if let recipientGroups { task.recipientGroups = Self.names(recipientGroups) }
    if let confidenceLevel { task.confidenceLevel = confidenceLevel < 0 ? nil : confidenceLevel }
    if let processor { task.setProcessor(processor, at: now) }
  }

  /// Names come separated by commas, although they go out as an array.
  private static func names(_ text: String) -> [String] {
    var seen: Set<String> = []
    return text.split(separator: ",").map(String.init).filter { seen.insert($0).inserted }
  }

  private static func problems(withNames text: String?, of property: String) -> [String] {
    guard let text else { return [] }
    let names = names(text)
    if names.count > 100 { return ["'\(property)' has more than 100 names."] }
    return names.contains { $0.utf16.count > 255 } ? ["A name in '\(property)' is longer than 255 characters."] : []
  }
}
