/// What a token may do; in tokens the names have the application's prefix before them.
package enum SAPScope: String, Sendable, CaseIterable {
  case taskGet = "TASK_GET"
  case taskComplete = "TASK_COMPLETE"
  case taskUpdate = "TASK_UPDATE"
  case taskDefinitionGet = "TASK_DEFINITION_GET"
  case definitionGet = "WORKFLOW_DEFINITION_GET"
  case definitionUndeploy = "WORKFLOW_DEFINITION_UNDEPLOY"
  case instanceStart = "WORKFLOW_INSTANCE_START"
  case instanceGet = "WORKFLOW_INSTANCE_GET"
  case instanceGetAttributes = "WORKFLOW_INSTANCE_GET_ATTRIBUTES"
  case instanceGetContext = "WORKFLOW_INSTANCE_GET_CONTEXT"
  case instanceUpdateContext = "WORKFLOW_INSTANCE_UPDATE_CONTEXT"
  case instanceGetErrorMessages = "WORKFLOW_INSTANCE_GET_ERROR_MESSAGES"
  case instanceGetLogs = "WORKFLOW_INSTANCE_GET_EXECUTION_LOGS"
  case instanceCancel = "WORKFLOW_INSTANCE_CANCEL"
  case instanceSuspend = "WORKFLOW_INSTANCE_SUSPEND"
  case instanceResume = "WORKFLOW_INSTANCE_RETRY_RESUME"
  case instancesUpdate = "WORKFLOW_INSTANCES_UPDATE"
  case messageSend = "MESSAGE_SEND"

  /// What a new service instance has before anybody grants it more.
  package static let fresh: [SAPScope] = [.taskGet, .taskDefinitionGet]

  static let prefix = "workflow!b10150."
}
