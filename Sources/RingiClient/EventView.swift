internal import JSON
internal import Timing

/// An event as a person reads it.
struct EventView {
  let json: JSONValue

  var type: String { json["type"]?.string ?? "?" }
  var sequence: String { json["sequence"]?.description ?? "-" }

  /// When it happened, by the clock on the person's wall.
  func time(in surroundings: Surroundings) -> String {
    guard let text = json["time"]?.string else { return "-" }
    return Timestamp(rfc3339: text).map { LocalTime($0, in: surroundings).text } ?? text
  }

  /// What happened, in one line.
  var summary: [Styled] {
    if let from = json["from"]?.int, let to = json["to"]?.int, type == "events-lost" {
      return [
        "events \(String(from)) to \(String(to)) did not arrive; `ringi events --since \(String(max(from, 1) - 1))` has them"
      ]
    }
    guard let data = json["data"], !data.isNull else { return [Styled(json["subject"]?.string ?? "")] }
    guard let task = data["task"].map(TaskView.init) else { return [Styled(unnamed(data))] }
    guard type == "approval-done" else { return task.named }
    var rest = ": " + (data["outcome"]?.string ?? task.text("outcome") ?? "decided")
    if let by = data["by"]?.string { rest += " by \(by)" }
    if let via = data["via"]?.string { rest += " via the \(via)" }
    if let comment = data["comment"]?.string, !comment.isEmpty { rest += " – \(comment)" }
    return task.named + [Styled(rest)]
  }

  /// An event that is about no task: its subject, and what its data says.
  private func unnamed(_ data: JSONValue) -> String {
    let subject = json["subject"]?.string ?? data["provider"]?.string ?? data["plugin"]?.string
    let message =
      data["message"]?.string ?? data["error"]?["message"]?.string ?? PrintableJSON.text(of: data, pretty: false)
    return [subject, message].compactMap { $0 }.joined(separator: ": ")
  }

  /// The colour of its type: red what needs a hand, green what is done.
  var typeCell: Styled {
    switch type {
    case "task-ready", "login-required": Styled(type, .yellow)
    case "approval-done", "poll-recovered", "plugin-up": Styled(type, .green)
    case "poll-failed", "plugin-down", "events-lost": Styled(type, .red)
    default: Styled(type, .cyan)
    }
  }
}
