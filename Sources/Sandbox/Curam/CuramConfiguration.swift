package import JSON
package import Timing

/// What a sandbox begins with, and returns to when it is reset.
package struct CuramConfiguration: Sendable {
  package var switches = CuramSwitches()
  /// Where the clock stands; nil follows the system's.
  package var clock: Timestamp?
  package var users = [
    CuramUser(name: "caseworker", password: "casework-1"),
    CuramUser(name: "symbols", password: "p&ss=w+rd%41 "),
    CuramUser(name: "cyrillic", password: "пароль"),
    CuramUser(name: "trailing", password: "blank "),
    CuramUser(name: "citizen", password: "citizen-1", isExternal: true),
    CuramUser(name: "newcomer", password: "newcomer-1", hasRights: false),
  ]
  /// By path below `/v1`; of a person only `relationships` is documented.
  package var resources: [String: JSONValue] = [
    "persons/101": [
      "concernRoleID": "101", "fullName": "Ada Example", "dateOfBirth": "1984-05-17", "status": "RST1",
      "relationships": [
        [
          "relatedConcernRoleID": "102", "fullName": "Ben Example", "relationshipType": "RT3",
          "startDate": "2009-06-01",
        ]
      ],
    ],
    "persons/102": ["concernRoleID": "102", "fullName": "Ben Example"],
    // The two are one when they are read as doubles.
    "persons/9007199254740992": ["concernRoleID": "9007199254740992", "fullName": "Eve Neighbour"],
    "persons/9007199254740993": ["concernRoleID": "9007199254740993", "fullName": "Eva Exact"],
    "ua/application_form": ["data": []],
  ]

  /// Where a site's own resource for tasks is, below `/v1`.
  package var tasksPath = "acme/tasks"
  /// The two are one when they are read as doubles.
  package var tasks = [
    CuramTask(id: "9007199254740992", subject: "Confirm the neighbour's income", concernRole: "102"),
    CuramTask(id: "9007199254740993", subject: "Verify address evidence", concernRole: "101"),
  ]

  package init() {}
}

/// A task of a site's own resource.
package struct CuramTask: Sendable {
  package let id: String
  package var subject: String
  package var concernRole: String?
  package var deadline: String?
  package var reservedBy: String?
  package internal(set) var isOpen = true

  package init(
    id: String, subject: String, concernRole: String? = nil, deadline: String? = nil, reservedBy: String? = nil
  ) {
    (self.id, self.subject, self.concernRole) = (id, subject, concernRole)
    (self.deadline, self.reservedBy) = (deadline, reservedBy)
  }
}

/// Somebody who can log in.
package struct CuramUser: Sendable {
  package let name: String
  package var password: String
  /// Whether it is a citizen, who logs in with a `user_type`.
  package var isExternal: Bool
  /// Whether there is a security identifier for the operations.
  package var hasRights: Bool
  /// Wrong passwords since the last reset.
  package internal(set) var failures = 0

  package init(name: String, password: String, isExternal: Bool = false, hasRights: Bool = true) {
    self.name = name
    self.password = password
    self.isExternal = isExternal
    self.hasRights = hasRights
  }
}
