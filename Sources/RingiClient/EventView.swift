internal import JSON

/// An event as a person reads it.
struct EventView {
  let json: JSONValue

  var type: String { json["type"]?.string ?? "?" }
  var sequence: String { json["sequence"]?.description ?? "-" }

  /// When it happened, by the clock on the person's wall.
  func time(in surroundings: Surroundings) -> String {
    Moment.local(json["time"], in: surroundings)
  }

  /// What happened, in one line.
  var summary: [Styled] {
    if type == "events-lost", let lost { return [Styled(lost)] }
    guard let data = json["data"], !data.isNull else { return [Styled(json["subject"]?.string ?? "")] }
    if let plugin = data["plugin"]?.string, let change = change(of: data) {
      return [Styled(plugin, .bold), Styled(change)]
    }
    guard let task = data["task"].map(TaskView.init) else { return [Styled(unnamed(data))] }
    guard type == "approval-done" else { return task.named }
    var rest = ": " + (data["outcome"]?.string ?? task.text("outcome") ?? "decided")
    if let by = data["by"]?.string { rest += " by \(by)" }
    if let via = data["via"]?.string { rest += " via the \(via)" }
    if let comment = data["comment"]?.string, !comment.isEmpty { rest += " – \(comment)" }
    return task.named + [Styled(rest)]
  }

  /// Which events are missing: a subscriber was too slow for them, or, in a list, the log has dropped them.
  private var lost: String? {
    let gap = json["data"] ?? json
    guard let from = gap["from"]?.int, let to = gap["to"]?.int else { return nil }
    let events = from == to ? "event \(from)" : "events \(from) to \(to)"
    guard json["data"] == nil else { return "\(events) can't be shown: no longer kept" }
    let since = max(from, 1) - 1
    return "\(events) did not arrive; `ringi events --since \(since)` shows what is missing, if they are still kept"
  }

  /// What became of a plugin.
  private func change(of data: JSONValue) -> String? {
    switch type {
    case "plugin-up": return " runs"
    case "plugin-down":
      if data["planned"]?.bool == true, let state = data["state"]?.string {
        return state == "starting" ? " is being started anew" : " was \(state)"
      }
      let state = data["state"]?.string.map { " (\($0))" } ?? ""
      let error = data["error"]?["message"]?.string ?? data["error"]?.string
      return " is down\(state)" + (error.map { ": \($0)" } ?? "")
    default: return nil
    }
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
