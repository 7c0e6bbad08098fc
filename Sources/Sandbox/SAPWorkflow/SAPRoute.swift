/// The resources of the service.
enum SAPRoute {
  case xsrfToken
  case workflowDefinitions
  case workflowDefinition(String)
  case workflowInstances
  case workflowInstance(String)
  case instanceContext(String)
  case instanceAttributes(String)
  case instanceErrorMessages(String)
  case instanceLogs(String)
  case taskInstances
  case taskInstance(String)
  case taskContext(String)
  case taskAttributes(String)
  case taskDefinitions
  case job(String)
  case messages

  /// Reads what follows the base path; an unknown path gives nil.
  init?(_ path: [String], in environment: SAPEnvironment) {
    guard path.first == "v1", !path.contains(""), let resource = path.dropFirst().first else { return nil }
    let id = path.dropFirst(2).first
    switch (resource, id, path.dropFirst(3).first, path.count) {
    case ("xsrf-token", _, _, 2) where environment == .neo: self = .xsrfToken
    case ("workflow-definitions", _, _, 2): self = .workflowDefinitions
    case ("workflow-definitions", let id?, _, 3): self = .workflowDefinition(id)
    case ("workflow-instances", _, _, 2): self = .workflowInstances
    case ("workflow-instances", let id?, _, 3): self = .workflowInstance(id)
    case ("workflow-instances", let id?, "context", 4): self = .instanceContext(id)
    case ("workflow-instances", let id?, "attributes", 4): self = .instanceAttributes(id)
    case ("workflow-instances", let id?, "error-messages", 4): self = .instanceErrorMessages(id)
    case ("workflow-instances", let id?, "execution-logs", 4): self = .instanceLogs(id)
    case ("task-instances", _, _, 2): self = .taskInstances
    case ("task-instances", let id?, _, 3): self = .taskInstance(id)
    case ("task-instances", let id?, "context", 4): self = .taskContext(id)
    case ("task-instances", let id?, "attributes", 4): self = .taskAttributes(id)
    case ("task-definitions", _, _, 2): self = .taskDefinitions
    case ("jobs", let id?, _, 3): self = .job(id)
    case ("messages", _, _, 2): self = .messages
    default: return nil
    }
  }

  var methods: [String] {
    switch self {
    case .workflowDefinition: ["DELETE"]
    case .workflowInstances: ["GET", "PATCH", "POST"]
    case .workflowInstance, .taskInstance: ["GET", "PATCH"]
    case .instanceContext: ["GET", "PATCH", "PUT"]
    case .messages: ["POST"]
    case .xsrfToken, .workflowDefinitions, .instanceAttributes, .instanceErrorMessages, .instanceLogs, .taskInstances,
      .taskContext, .taskAttributes, .taskDefinitions, .job:
      ["GET"]
    }
  }
}
