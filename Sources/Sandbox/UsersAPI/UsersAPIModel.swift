package import JSON
package import Timing

/// A user of the service.
package struct APIUser: Sendable {
  package let id: Int
  package internal(set) var name: String
  package internal(set) var email: String
  package internal(set) var tel: String?
  package let createdAt: Timestamp
  package internal(set) var updatedAt: Timestamp

  /// As the service writes it: times in all the forms that are allowed.
  package var json: JSONValue {
    [
      "id": .init(id), "name": .init(name), "email": .init(email), "tel": tel.map { .init($0) } ?? .null,
      "created_at": .init(createdAt.text(id)), "updated_at": .init(updatedAt.text(id + 1)), "avatar_url": .null,
    ]
  }
}

/// Something that waits for a decision.
package struct APIApproval: Sendable {
  package enum State: String, Sendable, CaseIterable { case pending, approved, rejected }

  package let id: Int
  package internal(set) var title: String
  package internal(set) var state = State.pending
  package internal(set) var amount: Int
  package internal(set) var requestedBy: String
  package internal(set) var version = 1
  package internal(set) var decidedBy: String?
  package internal(set) var comment: String?
  package let createdAt: Timestamp
  /// How often it was decided over the API.
  package internal(set) var decisions = 0

  package var json: JSONValue {
    [
      "id": .init(id), "title": .init(title), "state": .init(state.rawValue), "amount": .init(amount),
      "requested_by": .init(requestedBy), "version": .init(version),
      "decided_by": decidedBy.map { .init($0) } ?? .null, "comment": comment.map { .init($0) } ?? .null,
      "created_at": .init(createdAt.text(id)), "extra_\(id % 7)": "to be ignored",
    ]
  }
}

extension Timestamp {
  /// With and without fractions, in UTC and in Japan's time, by turns.
  fileprivate func text(_ turn: Int) -> String {
    switch turn % 4 {
    case 0: rfc3339
    case 1: Timestamp(milliseconds: milliseconds / 1000 * 1000 + 123).rfc3339
    case 2: String(Timestamp(milliseconds: milliseconds / 1000 * 1000 + 123).rfc3339.dropLast()) + "456Z"
    default: String((self + .seconds(9 * 3600)).rfc3339.dropLast()) + "+09:00"
    }
  }
}
