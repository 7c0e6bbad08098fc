extension SAPListing<SAPTask> {
  static var tasks: SAPListing<SAPTask> {
    SAPListing(
      texts: [
        "id": { [$0.id] }, "activityId": { [$0.activityID] }, "definitionId": { [$0.definitionID] },
        "workflowDefinitionId": { [$0.workflowDefinitionID] }, "workflowInstanceId": { [$0.workflowInstanceID] },
        "processor": { [$0.processor].compactMap(\.self) }, "subject": { [$0.subject] },
        "description": { [$0.description].compactMap(\.self) }, "recipientUsers": \.recipientUsers,
        "recipientGroups": \.recipientGroups,
      ],
      words: [
        "status": (SAPTask.Status.allCases.map(\.rawValue), \.status.rawValue),
        "priority": (SAPTask.Priority.allCases.map(\.rawValue), \.priority.rawValue),
      ],
      times: [
        (.init("created"), \.createdAt), (.init("claimed"), \.claimedAt), (.init("completed"), \.completedAt),
        (.init("lastChanged"), \.lastChangedAt), (.init("dueDate", at: "dueDate"), \.dueDate),
      ],
      searched: { task in
        [
          task.subject, task.description, task.activityID, task.id, task.processor, task.workflowDefinitionID,
          task.workflowInstanceID,
        ]
      },
      attributes: \.attributes,
      sortKeys: [
        "claimedAt": { .init($0.claimedAt) }, "completedAt": { .init($0.completedAt) },
        "createdAt": { .init($0.createdAt) }, "lastChangedAt": { .init($0.lastChangedAt) },
        "dueDate": { .init($0.dueDate) }, "subject": { .init($0.subject) }, "description": { .init($0.description) },
        "activityId": { .init($0.activityID) }, "id": { .init($0.id) }, "processor": { .init($0.processor) },
        "workflowDefinitionId": { .init($0.workflowDefinitionID) },
        "workflowInstanceId": { .init($0.workflowInstanceID) }, "priority": { .number($0.priority.rank) },
      ],
      standardOrder: .init(field: "createdAt", isDescending: false), tie: { .init($0.createdAt) })
  }
}

extension SAPTask.Priority {
  fileprivate var rank: Int64 { Int64(Self.allCases.firstIndex(of: self) ?? 0) }
}
