import JSON
import Testing
import Timing

@testable import HTTP

@Suite struct HTTPResponseTests {
  private func response(_ type: String?, _ body: [UInt8]) throws -> HTTPResponse {
    var headers = HTTPHeaders()
    headers["Content-Type"] = type
    return HTTPResponse(status: 200, headers: headers, body: body, url: try HTTPURL("http://h/"))
  }

  private let latin: [UInt8] = [0x4F, 0x72, 0x64, 0x72, 0x65, 0x20, 0xE9, 0x74, 0x61, 0x62, 0x6C, 0x69]

  @Test(arguments: ["ISO-8859-1", "\"iso-8859-1\"", "windows-1252", "latin1"])
  func textIsDecodedByItsDeclaredCharset(_ charset: String) throws {
    let text = try response("text/html; charset=\(charset)", latin).text
    #expect(text.string == "Ordre établi")
    #expect(!text.isDamaged)
  }

  @Test func windowsCharactersAreDecoded() throws {
    #expect(try response("text/plain;charset=iso-8859-1", [0x80, 0x93, 0x41, 0x94]).text.string == "€“A”")
  }

  @Test func textWithoutACharsetIsUTF8AndWhatIsNotIsReplacedAndSaidSo() throws {
    #expect(try response("text/html", Array("établi".utf8)).text == DecodedText(Array("établi".utf8), charset: nil))
    let damaged = try response("text/html", latin).text
    #expect(damaged.string == "Ordre \u{FFFD}tabli")
    #expect(damaged.isDamaged)
  }

  @Test func anUnknownCharsetIsTrustedForASCIIAlone() throws {
    #expect(try !response("text/html; charset=koi8-r", Array("plain".utf8)).text.isDamaged)
    #expect(try response("text/html; charset=koi8-r", [0xC1]).text.isDamaged)
  }

  @Test(arguments: [
    "application/json", "application/json;charset=UTF-8", "application/problem+json", "APPLICATION/JSON",
  ])
  func whatIsDeclaredAsJSONIsRead(_ type: String) throws {
    #expect(try response(type, Array(#"{"a":68.32}"#.utf8)).json()["a"]?.double == 68.32)
  }

  @Test func jsonInALegacyCharsetIsTranscoded() throws {
    let body = [UInt8(ascii: "\"")] + latin + [UInt8(ascii: "\"")]
    #expect(try response("application/json; charset=ISO-8859-1", body).json().string == "Ordre établi")
  }

  @Test(arguments: ["EUC-JP", "utf8", "shift_jis"])
  func jsonThatCannotBeDecodedWithoutLossIsNoneAndSaysTheCharset(_ charset: String) throws {
    let error = #expect(throws: HTTPBodyError.self) {
      try response("application/json; charset=\(charset)", [0x22, 0xC5, 0xEC, 0x22]).json()
    }
    #expect(error.map { "\($0)".contains("\"\(charset.lowercased())\"") } == true)
    #expect(try response("application/json; charset=\(charset)", Array(#""plain""#.utf8)).json().string == "plain")
  }

  @Test(arguments: [nil, "text/html", "text/plain; charset=utf-8", "json", "/", ""])
  func whatIsNotDeclaredAsJSONIsNotReadAsSuch(_ type: String?) throws {
    #expect(throws: HTTPBodyError.self) { try response(type, Array("{}".utf8)).json() }
  }

  @Test func anIntegerBeyond64BitsBecomesARealAndTheRestStays() throws {
    let json = try response("application/json", Array(#"{"big":18446744073709551616,"n":9007199254740993}"#.utf8))
      .json()
    #expect(json["big"]?.double == 18_446_744_073_709_551_616)
    #expect(json["n"]?.int == 9_007_199_254_740_993)
  }

  @Test func aMalformedBodySaysWhere() throws {
    do {
      _ = try response("application/json", Array("{\"a\":\n}".utf8)).json()
      Issue.record("it was read")
    } catch {
      #expect("\(error)".contains("line 2"))
    }
  }
}
