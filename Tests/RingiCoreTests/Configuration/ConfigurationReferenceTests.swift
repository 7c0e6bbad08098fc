import Foundation
import Testing

/// docs/configuration.md says what the schemas say; with RINGI_REWRITE_FIXTURES set, its tables are made anew.
struct ConfigurationReferenceTests {
  @Test func everyKeyIsDocumentedAsItIsRead() throws {
    let page = try String(contentsOf: ConfigurationReference.page, encoding: .utf8)
    let renewed = ConfigurationReference.renewed(page)
    if ProcessInfo.processInfo.environment["RINGI_REWRITE_FIXTURES"] != nil {
      return try Data(renewed.utf8).write(to: ConfigurationReference.page)
    }
    #expect(page == renewed)
  }
}
