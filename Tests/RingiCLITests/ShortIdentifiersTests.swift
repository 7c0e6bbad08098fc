import Testing

@testable import RingiClient

@Suite struct ShortIdentifiersTests {
  @Test func idsAreCutToWhatTellsThemApart() {
    let ids = [
      "sap/4005b254-f789-11ef-9cea-eeee0a80bb17", "sap/4005b254-f789-22ef-9cea-eeee0a80bb17",
      "sap/77777777-0000-11ef-9cea-eeee0a80bb17", "todoist/42",
    ]
    #expect(
      ShortIdentifiers.shortened(ids) == [
        "sap/4005b254-f789-1…", "sap/4005b254-f789-2…", "sap/77777777…", "todoist/42",
      ])
  }

  @Test func anIdThatAnotherBeginsWithStaysWhole() {
    #expect(ShortIdentifiers.shortened(["a/12345678", "a/123456789abcdef"]) == ["a/12345678", "a/123456789…"])
  }

  @Test func oneShorterByNothingIsNotCut() {
    #expect(ShortIdentifiers.shortened(["sap/123456789"]) == ["sap/123456789"])
  }

  @Test func aCopiedShortIdIsAPrefix() {
    #expect(ShortIdentifiers.prefix("sap/4005b254…") == "sap/4005b254")
    #expect(ShortIdentifiers.prefix("newest") == "newest")
  }
}
