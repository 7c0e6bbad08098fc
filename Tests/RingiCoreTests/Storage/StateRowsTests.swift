import EventLoop
import JSON
import JSONRPC
import RingiKit
import RingiTestSupport
import Testing

@testable import RingiCore

@Suite(.timeLimit(.minutes(5))) struct StateRowsTests {
  /// The error that setting a value ends in; `nil` when it is kept.
  @Loop private func refusal(_ state: PluginState, _ key: String, _ value: JSONValue?) async throws -> RPCError? {
    do {
      try await state.set(key, value)
      return nil
    } catch let error as RPCError {
      return error
    }
  }

  @Test("What was set is there after a kill -9, for the instance that set it")
  func durable() async throws {
    try await onLoop { () async throws in
      let first = try await StoreFolder()
      let value: JSONValue = ["cursor": 12, "名": [true, .null, "稟議\u{0}"]]
      try await PluginState(of: "sap", in: first.store).set("place", value)
      let second = try await first.killed()
      #expect(try await PluginState(of: "sap", in: second.store).get("place") == value)
      #expect(try await PluginState(of: "sap", in: second.store).get("other") == nil)
      #expect(try await PluginState(of: "mail", in: second.store).get("place") == nil)
    }
  }

  @Test(
    "A value takes the place of the one before, and nil or null takes it out", arguments: [nil, .null] as [JSONValue?])
  func replaced(nothing: JSONValue?) async throws {
    try await onLoop { () async throws in
      let folder = try await StoreFolder()
      let state = PluginState(of: "sap", in: folder.store)
      for value in [1, "two"] as [JSONValue] {
        try await state.set("a", value)
        #expect(try await state.get("a") == value)
      }
      try await state.set("a", nothing)
      try await state.set("never set", nothing)
      #expect(try await state.get("a") == nil)
    }
  }

  @Test("Keys and values have bounds, and the error says which")
  func bounds() async throws {
    try await onLoop { () async throws in
      let folder = try await StoreFolder()
      let state = PluginState(of: "sap", in: folder.store)
      // Two bytes each, and one.
      let longest = String(repeating: "é", count: 127) + "e"
      #expect(try await refusal(state, longest, 1) == nil)
      for key in ["", longest + "e"] {
        let error = try await refusal(state, key, 1)
        #expect(error?.kind == "invalid-params" && error?.message.contains("255 bytes") == true)
      }
      // With its quotes it fills a mebibyte.
      let largest = JSONValue(String(repeating: "x", count: (1 << 20) - 2))
      #expect(try await refusal(state, "large", largest) == nil)
      #expect(try await state.get("large") == largest)
      let error = try await refusal(state, "large", JSONValue(String(repeating: "y", count: (1 << 20) - 1)))
      #expect(error?.kind == "invalid-params" && error?.message.contains("1048576 bytes at most") == true)
      #expect(try await state.get("large") == largest)
    }
  }

  @Test("An instance has a thousand keys; the next is refused until one is taken out")
  func count() async throws {
    try await onLoop { () async throws in
      let folder = try await StoreFolder()
      let state = PluginState(of: "sap", in: folder.store)
      let changes = try (0..<1000).map { try StateRows.set("key-\($0)", to: 1, of: "sap") }
      _ = try await folder.store.record(changes)
      let error = try await refusal(state, "one more", 1)
      #expect(error?.kind == "invalid-params" && error?.message.contains("1000 keys") == true)
      #expect(try await state.get("one more") == nil)
      #expect(try await refusal(state, "key-7", 2) == nil)
      #expect(try await refusal(PluginState(of: "mail", in: folder.store), "one more", 1) == nil)
      #expect(try await refusal(state, "key-8", nil) == nil)
      #expect(try await refusal(state, "one more", 1) == nil)
    }
  }

  @Test("What can't be recorded is refused, and what was kept before stays")
  func refused() async throws {
    try await onLoop { () async throws in
      let folder = try await StoreFolder()
      let state = PluginState(of: "sap", in: folder.store)
      try await state.set("a", 1)
      try await folder.breakDown()
      let error = try await refusal(state, "a", 2)
      #expect(error?.kind == "unavailable" && error?.message.contains(folder.folder.path) == true)
      #expect(try await state.get("a") == 1)
      try folder.mend()
      #expect(try await refusal(state, "a", 3) == nil)
      let next = try await folder.killed()
      #expect(try await PluginState(of: "sap", in: next.store).get("a") == 3)
    }
  }
}
