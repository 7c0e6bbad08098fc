internal import EventLoop
internal import JSON
package import RingiKit

/// `phrases.*`.
@Loop
package enum PhraseMethods {
  /// The methods over the agent's phrases.
  ///
  /// - Parameter say: Finds the phrase of a text and makes its call.
  /// - Returns: The methods.
  package static func all(say: @escaping @Loop @Sendable (String, Call) async throws -> JSONValue) -> [Method] {
    [
      Method(
        "phrases.say", "Makes the call that a phrase of ringi.json stands for.",
        params: .object(["text": .string("What somebody said.", minLength: 1, maxLength: 10_000)], required: ["text"]),
        result: .object(
          [
            "phrase": .string("The phrase it was taken for."), "method": .string("The method called."),
            "result": .any.described("Its result."),
          ], required: ["phrase", "method", "result"]),
        // The call that it stands for has an entry of its own, which names the phrase.
        isMutation: true, isAudited: false, handler: .async { params, call in try await say(params.text("text"), call) }
      )
    ]
  }
}
