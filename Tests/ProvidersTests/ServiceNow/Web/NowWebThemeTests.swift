import EventLoop
import HTTP
import HTTPServer
import JSON
import JSONRPC
import RingiTestSupport
import Sandbox
import Synchronization
import Testing

@testable import Providers

/// What the proxy changes in answers: the theme, and the instance's address.
@Suite struct NowWebThemeTests {
  private typealias Rig = NowWebRig

  /// What the page at `/page` of an instance becomes.
  private func shown(
    _ html: String, type: String = "text/html; charset=utf-8", headers: [(String, String)] = [],
    theme: JSONValue = ["primary": "#4F52BD"], as sent: HTTPHeaders = NowWebRig.navigation
  ) async throws -> (text: String, answer: HTTPResponse, base: String) {
    let instance = try StubInstance.page(html, type: type, headers: headers)
    return try await onLoop {
      let rig = try Rig(at: instance.url)
      let address = try await rig.open("/page", ["theme": theme])
      let answer = try await rig.get(address, sent)
      let link = "<link rel=\"stylesheet\" href=\"/\(address.split(separator: "/")[2])/.ringi/theme.css\"/>"
      let text = answer.text.string.replacing(link, with: "[THEME]").replacing(Rig.base(address), with: "[BASE]")
        .replacing(Rig.base(address).replacing("/", with: "\\/"), with: "[ESCAPED]")
      return (text, answer, Rig.base(address))
    }
  }

  @Test func everyNameOfTheSDKIsAColourOfTheStyleSheet() async throws {
    let names = [
      "alertCritical0", "alertCritical3", "alertLow0", "alertPositive0", "alertPositive3", "alertWarning0",
      "backgroundPrimary", "brand", "primary", "screenHeaderBackground", "screenHeaderText", "textPrimary",
    ]
    try await onLoop { () async throws in
      let rig = try Rig()
      let members: [(String, JSONValue)] =
        names.enumerated().map { ($1, .init("#0000\(16 + $0)")) } + [
          ("textActionble", "#abcdef80"), ("webPageThemeId", .init(String(repeating: "0a", count: 16))),
          ("webPageThemeVariantId", .init(String(repeating: "1b", count: 16))),
        ]
      let address = try await rig.open("/welcome.do", ["theme": JSONValue(object: members)])
      let css = try await rig.get("\(Rig.base(address))/.ringi/theme.css").text.string
      for index in names.indices { #expect(css.contains(": #0000\(16 + index);\n")) }
      #expect(css.contains("--now-web-text-actionable: #abcdef80;\n"))
      #expect(css.contains("--now-web-page-theme-id: \"0a0a") == false && css.contains("web-page-theme-id: \"0a0a"))
      #expect(
        css.contains("html, body, main, .page-bg { background-color: var(--now-web-background-primary) !important }"))
      #expect(rig.rig.requests.isEmpty)
    }
  }

  @Test(
    arguments: [
      ("primary", "red"), ("primary", "#12"), ("primary", "#12345"), ("primary", "#gggggg"), ("brand", "#fff;}"),
      ("brand", "#fff} body{background:url(//evil)}"), ("textPrimary", "#٣٣٣"), ("textPrimary", "url(x)"),
      ("webPageThemeId", "'; } body { display: none } /*......"),
      ("webPageThemeId", "ABCDEFABCDEFABCDEFABCDEFABCDEFAB"),
    ])
  func aHostileValueIsRefusedAndNamed(_ name: String, _ value: String) async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let error = try await rig.failure("web.open", ["url": "/", "theme": JSONValue(object: [(name, .init(value))])])
      #expect(error.kind == "invalid-params" && error.message.contains(name))
    }
  }

  @Test func anUnknownNameIsRefused() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let error = try await rig.failure("web.open", ["url": "/", "theme": ["colour": "#fff"]])
      #expect(error.kind == "invalid-params" && error.message.contains("colour"))
    }
  }

  @Test(
    arguments: [
      ("<html><head><title>x", "<html><head>[THEME]<title>x"),
      ("<!DOCTYPE html>\n<HTML lang=ja><HEAD data-x='>'>x", "<!DOCTYPE html>\n<HTML lang=ja><HEAD data-x='>'>[THEME]x"),
      (
        "<!doctype html><!-- <head> --><html><!-- <head> --><head>",
        "<!doctype html><!-- <head> --><html><!-- <head> --><head>[THEME]"
      ),
      ("<!doctype html><html><body><p>x", "<!doctype html><html>[THEME]<body><p>x"),
      (
        "<?xml version=\"1.0\"?>\n<html xmlns='x'></p ><head/>",
        "<?xml version=\"1.0\"?>\n<html xmlns='x'></p ><head/>[THEME]"
      ),
      ("<p>x", "[THEME]<p>x"), ("x<head>", "[THEME]x<head>"), ("", "[THEME]"),
      ("<!-- never ended", "[THEME]<!-- never ended"),
      ("<header>x", "[THEME]<header>x"), ("\u{FEFF}<html><head>", "\u{FEFF}<html><head>[THEME]"),
      ("<!doctype html><body>", "<!doctype html>[THEME]<body>"), ("<html", "<html[THEME]"), ("<", "[THEME]<"),
    ])
  func theThemeStandsAtTheBeginningOfTheHead(_ html: String, _ wanted: String) async throws {
    #expect(try await shown(html).text == wanted)
  }

  /// What is done with a page holds up the agent, so it must not take longer and longer.
  @Test(.timeLimit(.minutes(1)), arguments: ["<", "</", "<a ", "<!--", "<html ", "/", "a=\"b\" ", "<script>"])
  func aPageThatIsMadeToBeSlowIsNot(_ piece: String) async throws {
    let html = "<html " + String(repeating: piece, count: 2_000_000 / piece.utf8.count)
    #expect(try await shown(html).text.utf8.count >= html.utf8.count)
  }

  @Test func piecesOfPagesAndOtherFilesAreLeftAlone() async throws {
    for headers: HTTPHeaders in [
      ["Sec-Fetch-Dest": "empty", "Sec-Fetch-Mode": "cors"], ["X-Requested-With": "XMLHttpRequest"],
    ] {
      #expect(try await shown("<div>x</div>", as: headers).text == "<div>x</div>")
    }
    #expect(try await shown("<html><head>", type: "text/plain").text == "<html><head>")
    #expect(try await shown("<html><head>", theme: [:]).text.contains("[THEME]"))
  }

  @Test func otherCharsetsAreNotBroken() async throws {
    let bytes: [UInt8] = [0x3C, 0x68, 0x65, 0x61, 0x64, 0x3E, 0x83, 0x5C, 0x83, 0x8C]
    let instance = try StubInstance { request in
      let isWide = request.path == "/wide"
      return ServerResponse(
        status: 200, headers: ["Content-Type": isWide ? "text/html; charset=UTF-16" : "text/html; charset=Shift_JIS"],
        body: isWide ? [0xFE, 0xFF, 0, 0x3C] : bytes)
    }
    try await onLoop { () async throws in
      let rig = try Rig(at: instance.url)
      let address = try await rig.open("/x", ["theme": ["brand": "#fff"]])
      let body = try await rig.get(address).body
      #expect(body.starts(with: bytes.prefix(6)) && body.suffix(4).elementsEqual(bytes.suffix(4)))
      #expect(try await rig.get("\(Rig.base(address))/wide").body == [0xFE, 0xFF, 0, 0x3C])
    }
  }

  // MARK: Addresses

  @Test func theInstancesAddressLeadsBackToTheProxy() async throws {
    let instance = try StubInstance { request in
      let url = "http://\(request.headers["Host"] ?? "")"
      let host = url.dropFirst("http:".count)
      let escaped = url.replacing("/", with: "\\/")
      return ServerResponse(
        status: 200, headers: ["Content-Type": "application/json", "Link": "<\(url)/a>;rel=\"next\""],
        text: [
          url, "\(url)/a", "'\(host)/a'", "\(escaped)\\/a", "\(url)0/a", "\(url).evil/a", "\(url)@evil",
          "https:\(host)/a",
          "x\(url)?a", "\(url):80",
        ].joined(separator: "\n"))
    }
    try await onLoop { () async throws in
      let rig = try Rig(at: instance.url)
      let address = try await rig.open("/x")
      let base = Rig.base(address)
      let answer = try await rig.get(address)
      let url = instance.url
      let host = url.dropFirst("http:".count)
      #expect(
        answer.text.string.split(separator: "\n").map(String.init) == [
          base, "\(base)/a", "'\(base)/a'", "\(base.replacing("/", with: "\\/"))\\/a", "\(url)0/a", "\(url).evil/a",
          "\(url)@evil", "https:\(host)/a", "x\(base)?a", "\(url):80",
        ])
      #expect(answer.headers["Link"] == "<\(base)/a>;rel=\"next\"")
    }
  }

  /// The page's address is a secret, which must not end up in the instance's records.
  @Test(arguments: [
    "application/json", "application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=b",
  ])
  func whatAPageSendsHasTheInstancesAddressAndNotItsOwn(_ type: String) async throws {
    let seen = Mutex<[ServerRequest]>([])
    let instance = try StubInstance { request in
      seen.withLock { $0.append(request) }
      let url = "http://\(request.headers["Host"] ?? "")/x"
      return ServerResponse(
        status: 200, headers: ["Content-Type": "text/html"],
        text: [url, url.replacing("/", with: "\\/"), String(url.dropFirst(5))].joined(separator: " "))
    }
    try await onLoop { () async throws in
      let rig = try Rig(at: instance.url)
      let address = try await rig.open("/x")
      let base = Rig.base(address)
      var page = try await rig.get(address).text.string
      #expect(page.ranges(of: base.dropFirst(Rig.origin(address).count + 1)).count == 3)
      page += " " + PercentEncoding.encode("\(base)/x") + " " + PercentEncoding.encode("\(base)/x").lowercased()
      page += " /\(base.split(separator: "/").last ?? "")/path"
      let query = PercentEncoding.encode("\(base)/x")
      let answer = try await rig.send(
        .post, "\(base)/post?back=\(query)",
        ["Origin": Rig.origin(address), "Content-Type": type, "Referer": "\(base)/x?from=\(query)"], body: page)
      #expect(answer.status == 200)
      let url = "\(instance.url)/x"
      let encoded = PercentEncoding.encode(url)
      let sent = try required(seen.withLock { $0.last })
      #expect(
        String(decoding: sent.body, as: UTF8.self).split(separator: " ").map(String.init) == [
          url, url.replacing("/", with: "\\/"), url, encoded, encoded.lowercased(), "/path",
        ])
      #expect(sent.target == "/post?back=\(encoded)" && sent.headers["Referer"] == "\(url)?from=\(encoded)")
    }
  }

  @Test func whatAPageSaysOfReferrersDoesNotHold() async throws {
    let page = try await shown(
      "<html><head><META content=no-referrer name=Referrer><a ReferrerPolicy='unsafe-url' href=x rel=noreferrer>x</a>",
      theme: [:])
    #expect(!page.text.lowercased().contains("no-referrer") && !page.text.lowercased().contains("referrerpolicy"))
    #expect(page.text.contains("href=x rel=noreferrer>x</a>"))
  }

  @Test func aBodyThatWouldGrowWithoutBoundsIsLeftAlone() async throws {
    let instance = try StubInstance { request in
      let host = "//\(request.headers["Host"] ?? "") "
      return ServerResponse(
        status: 200, headers: ["Content-Type": "text/plain"], text: String(repeating: host, count: 500_000))
    }
    try await onLoop { () async throws in
      let rig = try Rig(at: instance.url)
      let answer = try await rig.get(try await rig.open("/x"))
      #expect(answer.status == 200 && answer.body.count < 12_000_000)
    }
  }

  @Test func imagesAreLeftAlone() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let address = try await rig.open("/images/stamp.png")
      #expect(try await rig.get(address).body.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    }
  }

  @Test func thePageKnowsItsOwnAddressAndTheInstanceItsOwn() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let address = try await rig.open("/sp")
      let text = try await rig.get(address).text.string
      #expect(text.contains("\"\(Rig.base(address).replacing("/", with: "\\/"))\\/sp\""))
      #expect(!text.contains(rig.rig.sandbox.url))
      _ = try await rig.get("\(Rig.base(address))/sp/portal.js", Rig.fetch(from: address))
      #expect(rig.pageRequests.last?.headers["Referer"] == "\(rig.rig.sandbox.url)/sp")
      #expect(rig.pageRequests.last?.headers["Origin"] == nil)
    }
  }

  // MARK: Headers

  @Test func headersThatWouldOutliveThePageAreTakenOut() async throws {
    let page = try await shown(
      "<html><head>",
      headers: [
        ("Strict-Transport-Security", "max-age=1"), ("X-Frame-Options", "DENY"), ("Set-Cookie", "a=b"),
        ("Access-Control-Allow-Origin", "*"), ("Clear-Site-Data", "*"), ("Alt-Svc", "h3=\":443\""), ("X-Own", "1"),
        ("Cache-Control", "max-age=9999"), ("Refresh", "0;url=/x"), ("Referrer-Policy", "unsafe-url"),
      ])
    let headers = page.answer.headers
    for name in ["Strict-Transport-Security", "Access-Control-Allow-Origin", "Clear-Site-Data", "Alt-Svc"] {
      #expect(headers[name] == nil)
    }
    #expect(headers.values("X-Frame-Options") == ["SAMEORIGIN"] && headers.values("Cache-Control") == ["no-store"])
    #expect(headers.values("Referrer-Policy") == ["same-origin"] && headers["X-Own"] == "1")
    #expect(!headers.values("Set-Cookie").contains("a=b"))
  }

  @Test(
    arguments: [
      ("img-src {instance}/images/ x", "img-src x 'self'"), ("img-src {authority}", "img-src 'self'"),
      ("img-src *", "img-src * 'self'"), ("img-src http:", "img-src http: 'self'"),
      ("img-src {instance}.evil", "img-src {instance}.evil"),
      ("img-src https://x *.example", "img-src https://x *.example"),
    ])
  func aPolicyThatNamesTheInstanceMeansTheProxy(_ policy: String, _ wanted: String) async throws {
    let instance = try StubInstance { request in
      let authority = request.headers["Host"] ?? ""
      let policy = policy.replacing("{instance}", with: "http://\(authority)").replacing("{authority}", with: authority)
      return ServerResponse(status: 200, headers: ["Content-Security-Policy": policy], text: "x")
    }
    try await onLoop { () async throws in
      let rig = try Rig(at: instance.url)
      let answer = try await rig.get(try await rig.open("/x"))
      #expect(
        answer.headers["Content-Security-Policy"]
          == wanted.replacing("{instance}", with: instance.url) + "; frame-ancestors 'self'")
    }
  }

  @Test(arguments: [
    ("*.service-now.com", "*.service-now.com 'self'"), ("https://acme.service-now.com:443/x/", "'self'"),
    ("*.com:8443", "*.com:8443"), ("http://ACME.service-now.com", "'self'"), ("*.other.com", "*.other.com"),
    ("service-now.com", "service-now.com"),
  ])
  func aSourceMeansTheInstanceByItsDomainToo(_ source: String, _ wanted: String) throws {
    let instance = try HTTPURL("https://acme.service-now.com").origin
    #expect(
      NowWebPolicy.adapted("script-src \(source)", of: instance) == "script-src \(wanted); frame-ancestors 'self'")
  }

  @Test(
    arguments: [
      ("default-src 'none'", "default-src 'none'; style-src 'self'; frame-ancestors 'self'"),
      ("style-src 'none'; upgrade-insecure-requests", "style-src 'self'; frame-ancestors 'self'"),
      ("script-src x; frame-ancestors 'none'; report-uri /r", "script-src x; frame-ancestors 'self'"),
      (
        "style-src a; style-src-elem b, img-src c",
        "style-src a; style-src-elem b 'self'; frame-ancestors 'self', img-src c; frame-ancestors 'self'"
      ),
    ])
  func aPolicyOfTheInstanceLetsTheThemeIn(_ policy: String, _ wanted: String) async throws {
    let page = try await shown("<html><head>", headers: [("Content-Security-Policy", policy)])
    #expect(page.answer.headers["Content-Security-Policy"] == wanted)
  }
}
