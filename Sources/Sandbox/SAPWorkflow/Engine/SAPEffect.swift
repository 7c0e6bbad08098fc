internal import HTTPServer

/// What the service does in the background.
enum SAPEffect: Sendable {
  /// An instance goes on to its next step.
  case advance(String)
  case setStatus(String, SAPInstance.Status, cascade: Bool)
  case undeploy(definition: String, job: String)
  case deleteInstances(Set<String>, job: String)
  /// A request whose sender was cut off is carried out after all.
  case replay(ServerRequest)

  func concerns(_ instance: String) -> Bool {
    switch self {
    case .advance(let id), .setStatus(let id, _, _): id == instance
    case .deleteInstances(let ids, _): ids.contains(instance)
    case .undeploy, .replay: false
    }
  }
}
