extension SAPListing<SAPInstance> {
  static var instances: SAPListing<SAPInstance> {
    SAPListing(
      texts: [
        "id": { [$0.id] }, "definitionId": { [$0.definitionID] }, "definitionVersion": { [$0.definitionVersion] },
        "startedBy": { [$0.startedBy] }, "subject": { [$0.subject].compactMap(\.self) },
        "businessKey": { [$0.businessKey].compactMap(\.self) }, "rootInstanceId": { [$0.parentInstanceID ?? $0.id] },
        "parentInstanceId": { [$0.parentInstanceID].compactMap(\.self) },
        // No instance here belongs to a project.
        "projectId": { _ in [] }, "projectVersion": { _ in [] },
      ],
      words: ["status": (SAPInstance.Status.allCases.map(\.rawValue), \.status.rawValue)],
      times: [(.init("started"), \.startedAt), (.init("completed"), \.completedAt)],
      searched: { [$0.id, $0.definitionID, $0.subject, $0.startedBy, $0.businessKey] },
      attributes: { _ in [] },
      sortKeys: [
        "id": { .init($0.id) }, "definitionId": { .init($0.definitionID) },
        // As text: "10" comes before "9".
        "definitionVersion": { .init($0.definitionVersion) },
        "startedAt": { .init($0.startedAt) }, "completedAt": { .init($0.completedAt) },
        "startedBy": { .init($0.startedBy) }, "subject": { .init($0.subject) },
        "businessKey": { .init($0.businessKey) },
      ],
      standardOrder: .init(field: "startedAt", isDescending: true), tie: { _ in .empty })
  }
}
