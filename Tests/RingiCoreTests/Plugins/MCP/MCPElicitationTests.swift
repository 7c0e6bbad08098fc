import JSON
import Testing

@testable import RingiCore

struct MCPElicitationTests {
  private static let form: JSONValue = [
    "type": "object", "required": ["name"],
    "properties": [
      "name": ["type": "string", "minLength": 1], "plan": ["oneOf": [["const": "a"], ["const": "b"]]],
      "days": ["type": "array", "items": ["enum": ["Mo", "Tu"]]], "sure": ["type": "boolean"],
    ],
  ]

  @Test(
    "A form is filled in with the answers that it has fields for, and refused where they don't fit",
    arguments: [
      (["name": "Ada"], ["name": "Ada"]), (["name": "Ada", "shoe": 41], ["name": "Ada"]),
      (["plan": "b", "name": "Ada", "days": ["Tu"]], ["name": "Ada", "plan": "b", "days": ["Tu"]]),
      ([:], nil), (["sure": true], nil), (["name": ""], nil), (["name": "Ada", "plan": "c"], nil), (["shoe": 41], nil),
    ] as [(JSONValue, JSONValue?)])
  func answers(_ answers: JSONValue, _ content: JSONValue?) {
    let answer = MCPElicitation(["answers": answers]).answer(["message": "?", "requestedSchema": Self.form])
    #expect(answer == (content.map { ["action": "accept", "content": $0] } ?? ["action": "decline"]))
  }

  @Test(
    "A form that makes no sense, a page to be visited, and a question without fields are refused as the file has it")
  func others() {
    let policy = MCPElicitation(["answers": ["name": "Ada"], "otherwise": "cancel"])
    let odd: [JSONValue] = [
      [:], ["requestedSchema": 7], ["requestedSchema": ["properties": ["name": ["type": "text"]]]],
      ["requestedSchema": ["type": "object", "properties": [:]]],
      ["mode": "url", "url": "https://example.org", "requestedSchema": Self.form],
    ]
    for params in odd { #expect(policy.answer(params) == ["action": "cancel"], "\(params)") }
  }
}
