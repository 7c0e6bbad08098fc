internal import RingiKit

/// The methods `INSTANCE.persons.…`.
@Loop
struct CuramPersonMethods {
  let api: CuramAPI

  /// Identifiers have 64 bits; as text they come through every program whole.
  private static let params = Schema.object(
    ["id": .anyOf([.string(minLength: 1, maxLength: 64), .integer()]).described("The person's identifier.")],
    required: ["id"])

  func register(on registrar: inout Registrar) {
    registrar.method(
      "persons.get", "Reads a person.", params: Self.params,
      result: .object([:], isOpen: true).described("The person as the service has it.")
    ) { params, _ in try await person(params) }
    registrar.method(
      "persons.relationships", "Reads whom a person is related to.", params: Self.params,
      result: .object(
        ["relationships": .array("The relationships as the service has them.", of: .any)], required: ["relationships"])
    ) { params, _ in try await relationships(params) }
  }

  private func person(_ params: JSONValue) async throws -> JSONValue {
    let id = params["id"]?.string ?? params["id"]?.int.map { String($0) } ?? ""
    let person = try await api.read(try CuramPath("persons", id))
    guard person.object != nil else { throw api.failure.malformed("a person is no object") }
    return person
  }

  private func relationships(_ params: JSONValue) async throws -> JSONValue {
    let relationships = try await person(params)["relationships"] ?? .emptyArray
    guard relationships.array != nil else { throw api.failure.malformed("a person's relationships are no array") }
    return ["relationships": relationships]
  }
}
