internal import JSON

/// What in a plugin's account of itself works, and may not be what was meant.
enum ManifestRemarks {
  private static let members = ["name", "version", "methods", "tasks", "taskContext", "settingsSchema"]
  private static let methodMembers = ["name", "summary", "params", "result", "mutation"]

  static func of(_ manifest: PluginManifest, isLibrary: Bool = false) -> [PluginReport.Finding] {
    // What servers of the Model Context Protocol say was read before.
    guard let object = manifest.json.object else { return [] }
    var remarks = unknown(object.map { $0.key }, members, "The answer")
    if manifest.name == nil { remarks.append(.remark("It gives no name.")) }
    if manifest.offers.isEmpty, !manifest.hasTasks {
      remarks.append(.remark("It offers no methods and no tasks, so there is nothing to call."))
    }
    for (offer, json) in zip(manifest.offers, manifest.json["methods"]?.array.map(Array.init) ?? []) {
      remarks += unknown(
        json.object?.map { $0.key } ?? [], methodMembers + (isLibrary ? ["inline"] : []), "The method \(offer.name)")
      if offer.summary.isEmpty { remarks.append(.remark("The method \(offer.name) has no summary.")) }
    }
    return remarks
  }

  /// Members that mean nothing here, which a slip of the fingers may have made.
  static func unknown(_ keys: [String], _ known: [String], _ what: String) -> [PluginReport.Finding] {
    keys.filter { !known.contains($0) }.map { key in
      let guess = Suggestion.nearest(to: key, among: known).map { "; did you mean \"\($0)\"?" } ?? "."
      return .remark("\(what) has the member \(JSONValue(key)), which is passed over\(guess)")
    }
  }
}
