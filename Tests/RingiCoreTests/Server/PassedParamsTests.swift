import JSON
import Testing

@testable import RingiCore

/// Params that go on to a plugin as they came.
struct PassedParamsTests {
  private static func read(_ params: String) -> String? {
    Array(params.utf8).withUnsafeBufferPointer { PassedParams.read($0)?.description }
  }

  @Test(
    "An object goes on as it is written, also one that has the word elsewhere",
    arguments: [
      "{}", #"{ "a":1.50, "a": [] }"#, #"{"a":"progressToken"}"#, #"{"a":{"progressToken":1}}"#, #"{"a\n":"\u0070"}"#,
    ])
  func object(params: String) { #expect(Self.read(params) == params) }

  @Test(
    "What asks for progress, has line breaks, or is no object, is looked into",
    arguments: ["{\n}", "{\"a\":1,\r\"b\":2}", #"{"progressToken":1}"#, #"{"a":1, "progress\u0054oken":1}"#, "[1]"])
  func others(params: String) { #expect(Self.read(params) == nil) }

  @Test("No params are an empty object")
  func none() { #expect(Self.read("") == "{}") }
}
