internal import JSON
internal import Timing

package struct TodoistProject: Sendable {
  package let id: String
  let name: String

  var json: JSONValue { ["id": .init(id), "name": .init(name), "is_archived": false, "is_deleted": false] }
}

/// When a task is due.
package struct TodoistDue: Sendable {
  /// A day, a time of nobody's zone, or a time that ends in `Z`.
  package internal(set) var date: String
  var timezone: String?
  var string: String
  var lang = "en"
  var step: CalendarStep?

  var json: JSONValue {
    [
      "date": .init(date), "timezone": timezone.map { .init($0) } ?? .null, "string": .init(string),
      "lang": .init(lang), "is_recurring": .init(step != nil),
    ]
  }

  /// The same a step later.
  var next: TodoistDue? {
    guard let step, let day = CivilDate(iso: date.prefix(10)) else { return nil }
    var next = self
    next.date = step.after(day).description + date.dropFirst(10)
    return next
  }

  /// The texts that the sandbox understands: a date, `today`, `tomorrow`, and `every day`, `every 3 weeks` and so on,
  /// the latter from today or with `starting DATE` at the end.
  init?(string: String, today: CivilDate) {
    let text = string.lowercased()
    self.init(date: "", timezone: nil, string: string)
    if text == "today" || text == "tomorrow" {
      date = CivilDate(daysSinceEpoch: today.daysSinceEpoch + (text == "today" ? 0 : 1)).description
    } else if let day = CivilDate(iso: text) {
      date = day.description
    } else {
      var words = text.split(separator: " ")[...]
      guard words.popFirst() == "every", !words.isEmpty else { return nil }
      let count = words.first.flatMap { Int($0) }
      if count != nil { words.removeFirst() }
      guard let word = words.popFirst(),
        let unit = CalendarStep.Unit(rawValue: word.hasSuffix("s") ? String(word.dropLast()) : String(word))
      else {
        return nil
      }
      step = CalendarStep(unit: unit, count: count ?? 1)
      date = today.description
      guard !words.isEmpty else { return }
      guard words.count == 2, words.first == "starting", let day = words.last.flatMap({ CivilDate(iso: $0) }) else {
        return nil
      }
      date = day.description
    }
  }

  init(date: String, timezone: String? = nil, string: String? = nil) {
    self.date = date
    self.timezone = timezone
    self.string = string ?? date
  }
}

package struct TodoistTask: Sendable {
  package let id: String
  package internal(set) var projectID: String
  package internal(set) var content: String
  package internal(set) var description = ""
  package internal(set) var labels: [String] = []
  package internal(set) var priority = 1
  package internal(set) var due: TodoistDue?
  package internal(set) var isChecked = false
  var completedAt: Timestamp?
  let addedAt: Timestamp
  var updatedAt: Timestamp
  let userID: String

  var json: JSONValue {
    [
      "id": .init(id), "user_id": .init(userID), "project_id": .init(projectID), "section_id": nil, "parent_id": nil,
      "added_by_uid": .init(userID), "assigned_by_uid": nil, "responsible_uid": nil,
      "labels": .init(array: labels.map { .init($0) }), "deadline": nil, "duration": nil, "checked": .init(isChecked),
      "is_deleted": false, "is_collapsed": false, "added_at": .init(Self.text(addedAt)),
      "completed_at": completedAt.map { .init(Self.text($0)) } ?? .null, "updated_at": .init(Self.text(updatedAt)),
      "due": due?.json ?? .null, "priority": .init(priority), "child_order": 1, "content": .init(content),
      "description": .init(description), "note_count": 0, "day_order": -1,
    ]
  }

  /// With six digits of a second's fraction.
  private static func text(_ time: Timestamp) -> String {
    let text = time.rfc3339.dropLast()
    return text.contains(".") ? "\(text)000Z" : "\(text).000000Z"
  }
}
