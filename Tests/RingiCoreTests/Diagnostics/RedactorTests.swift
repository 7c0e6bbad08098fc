import EventLoop
import Foundation
import HTTP
import JSON
import JSONRPC
import RingiCore
import RingiTestSupport
import Testing

@Suite struct RedactorTests {
  private static let secret = "s3cr3t/Pä+ß= \"x\""

  @Loop private static func redactor(_ secrets: String...) -> Redactor {
    let redactor = Redactor()
    for secret in secrets { redactor.add(secret) }
    return redactor
  }

  /// What a text looks like once the secret is out of it.
  private func redacted(_ text: String, _ secret: String = secret) async throws -> String {
    try await onLoop { Self.redactor(secret).redact(text) }
  }

  // MARK: Forms

  @Test(arguments: [
    secret,
    "s3cr3t%2FP%C3%A4%2B%C3%9F%3D%20%22x%22",
    "s3cr3t%2fP%c3%a4%2b%c3%9f%3d%20%22x%22",
    // As a form writes it, as a path does, and as JavaScript's encodeURI.
    "s3cr3t%2FP%C3%A4%2B%C3%9F%3D+%22x%22",
    "s3cr3t/P%C3%A4+%C3%9F=%20%22x%22",
    "s3cr3t/P%C3%A4%2B%C3%9F%3D%20%22x%22",
    // As JSON writers do that escape no more than they must, all but ASCII, and the solidus too.
    #"s3cr3t/Pä+ß= \"x\""#,
    #"s3cr3t/P\u00e4+\u00df= \"x\""#,
    #"s3cr3t/P\u00E4+\u00DF= \"x\""#,
    #"s3cr3t\/P\u00e4+\u00df= \u0022x\u0022"#,
  ])
  func everyFormOfASecretIsReplacedWhereverItStands(form: String) async throws {
    #expect(try await redacted("a\(form)b \(form)") == "a•••b •••")
    #expect(try await redacted(form) == "•••")
  }

  @Test(arguments: 0..<7)
  func base64IsFoundWhereverItBeginsInALongerText(offset: Int) async throws {
    let user = String(repeating: "u", count: offset)
    for tail in ["", ":", "::", ":::"] {
      let encoded = Data("\(user)\(Self.secret)\(tail)".utf8).base64EncodedString()
      let text = try await redacted("Authorization: Basic \(encoded)")
      #expect(text.contains("•••"), "\(encoded)")
      let middle = encoded.dropFirst((offset * 8 + 5) / 6 + 1).prefix(20)
      #expect(!text.contains(middle), "\(text)")
    }
  }

  @Test func charactersBeyondTheBasicPlaneAreFoundToo() async throws {
    for form in ["pass🚀", #"pass\ud83d\ude80"#, #"pass\uD83D\uDE80"#, "pass%F0%9F%9A%80"] {
      #expect(try await redacted(form, "pass🚀") == "•••")
    }
  }

  @Test(arguments: ["100%25", #"C:\\new\n"#, "a+b c", "%%%%"])
  func aSecretThatLooksEscapedItselfIsFoundAsItIsAndEscaped(secret: String) async throws {
    #expect(try await redacted("<\(secret)>", secret) == "<•••>")
    #expect(try await redacted("<\(PercentEncoding.encode(secret))>", secret) == "<•••>")
    #expect(try await redacted("<\(JSONValue(secret))>", secret) == "<\"•••\">")
  }

  @Test func base64ForURLsIsFoundToo() async throws {
    let secret = "???>>>~~~ÿÿÿ"
    let encoded = Data(secret.utf8).base64EncodedString()
    #expect(encoded.contains("/") && encoded.contains("+"))
    let forURLs = encoded.replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "+", with: "-")
    #expect(try await redacted("token=\(forURLs)", secret) == "token=•••")
    #expect(try await redacted("token=\(encoded)", secret) == "token=•••")
  }

  @Test func whatIsNoSecretStays() async throws {
    for text in [
      "", "s3cr3t", "s3cr3t/Pä+ß", "ordinary words, 12345", "%2F", "%", "%2", "\\", "\\u00", "\\ud83d\\u", "稟議",
    ] {
      #expect(try await redacted(text) == text)
    }
  }

  @Test func ofTwoSecretsTheLongerGoesFirst() async throws {
    try await onLoop {
      let redactor = Self.redactor("pass", "password")
      #expect(redactor.redact("my password, my pass") == "my •••, my •••")
    }
  }

  @Test func valuesTooShortToTellFromWordsAreLeftAlone() async throws {
    #expect(try await redacted("abc abcd", "abc") == "abc abcd")
    #expect(try await redacted("abc abcd", "") == "abc abcd")
  }

  @Test func withoutSecretsEverythingStays() async throws {
    try await onLoop {
      let value: JSONValue = ["a": ["b", 1]]
      #expect(Redactor().redact(value) == value)
    }
  }

  @Test func tokensThatAreRenewedAreForgottenAfterManyOthersOfTheSameOwner() async throws {
    try await onLoop {
      let redactor = Self.redactor("lasting")
      redactor.addPassing("another's", of: "other")
      for number in 0..<100 {
        redactor.addPassing("token-\(number).", of: "sap")
        redactor.addPassing("still in use", of: "sap")
      }
      #expect(redactor.redact("token-99. token-75. lasting, another's, still in use") == "••• ••• •••, •••, •••")
      #expect(redactor.redact("token-7.") == "token-7.")
    }
  }

  // MARK: Values

  @Test func keysAndStringsAtAnyDepthAreReplaced() async throws {
    try await onLoop {
      let redactor = Self.redactor("sesame")
      let value: JSONValue = ["a": ["x sesame y", ["sesame": 1]], "b": .null, "c": 2.5, "d": true]
      #expect(redactor.redact(value) == ["a": ["x ••• y", ["•••": 1]], "b": .null, "c": 2.5, "d": true])
    }
  }

  @Test(arguments: [
    (#"a","b"#, #"{"k":["a","b"],"s":"x a\",\"b y"}"#, #"{"k":["a","b"],"s":"x ••• y"}"#),
    ("nabc", #"{"s":"\nabc nabc"}"#, #"{"s":"\nabc •••"}"#),
    ("1234", #"{"n":12345,"m":7,"s":"pin 1234"}"#, #"{"n":"•••","m":7,"s":"pin •••"}"#),
    ("null", #"{"a":null,"s":"null"}"#, #"{"a":"•••","s":"•••"}"#),
    (#"back\slash"#, #"{"s":"back\\slash"}"#, #"{"s":"•••"}"#),
    // A text that holds JSON in its turn.
    (#"se"same"#, #"{"body":"{\"password\":\"se\\\"same\"}"}"#, #"{"body":"{\"password\":\"•••\"}"}"#),
  ])
  func aSecretOfJSONsOwnCharactersBreaksNothing(secret: String, before: String, after: String) async throws {
    try await onLoop {
      let (before, after) = (try JSONValue(parsing: before), try JSONValue(parsing: after))
      #expect(Self.redactor(secret).redact(before) == after)
    }
  }

  @Test func anErrorsMessageAndDataAreReplaced() async throws {
    try await onLoop {
      let error = RPCError.backendError(
        provider: "sap", status: 401, message: "sesame is wrong", details: ["body": ["echo": "Basic sesame"]])
      let redacted = Self.redactor("sesame").redact(error)
      #expect(redacted.message == "••• is wrong")
      #expect(redacted.data["body"] == ["echo": "Basic •••"])
      #expect(redacted.data["message"] == "••• is wrong")
      #expect(redacted.code == -32002 && redacted.data["status"] == 401)
    }
  }

  @Test func theKeysOfAnErrorsDataAreReplacedAtAnyDepth() async throws {
    try await onLoop {
      let error = RPCError.backendError(
        provider: "sap", message: "no", details: ["a sesame": 1, "b": ["sesame": [["sesame": "sesame"]]]])
      let redacted = Self.redactor("sesame").redact(error)
      #expect(redacted.details["a •••"] == 1 && redacted.details["b"] == ["•••": [["•••": "•••"]]])
      #expect(redacted.details["provider"] == "sap" && !redacted.json.description.contains("sesame"))
    }
  }

  @Test func anErrorsMessageIsCutAfterItsSecretsAreTakenOut() async throws {
    try await onLoop {
      for offset in 4080..<4110 {
        let message = String(repeating: ".", count: offset) + "sesame" + String(repeating: ".", count: 9000)
        let error = Self.redactor("sesame").redact(RPCError.backendError(provider: "sap", message: message))
        #expect(error.message.allSatisfy { ".•…".contains($0) } && error.message.utf8.count <= 4096 + 3)
      }
    }
  }

  /// What a backend says of itself goes into events, the log and the store.
  @Test func whatAnErrorCarriesIsBounded() async throws {
    try await onLoop {
      let long = JSONValue(String(repeating: "x", count: 1 << 20))
      let details: [String: JSONValue] = ["message": long, "fields": ["a": long], "task": ["title": "Order"]]
      let error = Self.redactor("sesame").redact(
        RPCError.backendError(provider: "sap", message: "no", details: details))
      #expect(error.details["message"]?.string?.utf8.count ?? .max <= 4096 + 3)
      #expect(error.details["fields"]?.string?.hasPrefix("left out: 10485") == true)
      #expect(error.details["task"] == ["title": "Order"])
    }
  }

  // MARK: The ways out

  @Test func noAnswerShowsASecret() async throws {
    try await withAgent { agent in
      try await onLoop {
        agent.redactor.add("sesame")
        let source = ScriptedSource(clock: agent.clock)
        source.put(source.item("1"))
        agent.inbox.add(source, instance: "sap", startsWithBaseline: false)
        source.failure = .unavailable("GET https://user:sesame@sap.example failed.")
        _ = try? await agent.inbox.poll("sap")
      }
      let client = try agent.connect()
      try client.send(
        #"{"jsonrpc":"2.0","id":1,"method":"sesame"}"#, #"{"jsonrpc":"2.0","id":2,"method":"tasks.refresh"}"#,
        #"{"jsonrpc":"2.0","id":3,"method":"events.list"}"#)
      for _ in 0..<3 {
        let text = try client.receiveText()
        #expect(text.contains("•••") && !text.contains("sesame"), "\(text)")
      }
    }
  }
}
