import EventLoop
import HTTP
import HTTPServer
import JSON
import RingiTestSupport
import Sandbox
import Synchronization
import Testing

@Suite struct NowWebPreloadTests {
  private typealias Rig = NowWebRig

  @Test func whatWasPreloadedIsShownWithoutAskingTheInstance() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let id = try rig.rig.makeApproval()
      let url = "/sysapproval_approver.do?sys_id=\(id)"
      let pages = try await rig.call("web.preload", ["urls": [.init(url), "/sp"]])["pages"]?.array
      #expect(pages?.map { $0["kept"] } == [true, true])
      // Style sheet, script and image of the one; of the other its image is the same.
      #expect(pages?.map { $0["linked"] } == [3, 3])
      let before = rig.rig.requests.count
      let address = try await rig.open(url)
      #expect(try await rig.get(address).text.string.contains("Hanako Sato"))
      let origin = Rig.origin(address)
      for file in ["styles/approval.css", "scripts/approval.js", "images/stamp.png"] {
        #expect(try await rig.get("\(origin)/\(file)", Rig.fetch(from: address)).status == 200)
      }
      #expect(rig.rig.requests.count == before)
    }
  }

  @Test(arguments: ["no-cache", "max-age=0"])
  func aReloadAsksTheInstance(_ wish: String) async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      try await rig.call("web.preload", ["urls": ["/welcome.do"]])
      let address = try await rig.open("/welcome.do")
      #expect(try await rig.get(address).status == 200)
      #expect(rig.rig.count("GET /welcome.do") == 1)
      #expect(try await rig.get(address, ["Cache-Control": wish]).status == 200)
      #expect(rig.rig.count("GET /welcome.do") == 2)
    }
  }

  enum Forgetting: CaseIterable { case time, change, decision, renewal }

  @Test(arguments: Forgetting.allCases)
  func itIsForgottenAfterFiveMinutesAChangeOrARenewal(_ forgetting: Forgetting) async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let id = try rig.rig.makeApproval()
      let url = "/sysapproval_approver.do?sys_id=\(id)"
      try await rig.call("web.preload", ["urls": [.init(url)]])
      let address = try await rig.open(url)
      let form = try NowWebPageTests.form(try await rig.get(address), id)
      #expect(rig.rig.count("GET /sysapproval_approver.do") == 1)
      switch forgetting {
      case .time: rig.rig.pass(.seconds(300))
      case .change:
        let answer = try await rig.send(
          .post, "\(Rig.base(address))/sysapproval_approver.do",
          ["Origin": Rig.origin(address), "Content-Type": "application/x-www-form-urlencoded"], body: form)
        #expect(answer.status == 200)
      case .decision: try await rig.call("approvals.approve", ["id": .init(id)])
      case .renewal:
        rig.rig.sandbox.with { $0.expireSessions() }
        #expect(try await rig.get("\(Rig.base(address))/welcome.do").status == 200)
      }
      let before = rig.rig.count("GET /sysapproval_approver.do")
      #expect(try await rig.get(address).status == 200)
      #expect(rig.rig.count("GET /sysapproval_approver.do") == before + 1)
    }
  }

  @Test func whyAPageIsNotKeptIsSaid() async throws {
    let instance = try StubInstance { request in
      switch request.path {
      case "/long": ServerResponse(status: 200, body: [UInt8](repeating: 0x61, count: 9 << 20))
      case "/moved": ServerResponse(status: 302, headers: ["Location": "/there"])
      case "/away": ServerResponse(status: 302, headers: ["Location": "https://evil.example/"])
      case "/there": ServerResponse(status: 200, headers: ["Content-Type": "text/html"], text: "<p>there")
      default: ServerResponse(status: 404)
      }
    }
    try await onLoop { () async throws in
      let rig = try Rig(at: instance.url)
      let urls: JSONValue = ["/there", "/long", "/moved", "/away", "/nothing"]
      let pages = try required(try await rig.call("web.preload", ["urls": urls])["pages"]?.array)
      #expect(pages.map { $0["kept"] } == [true, false, false, false, false])
      let reasons = pages.map { $0["reason"]?.string ?? "" }
      for (reason, word) in zip(reasons, ["", "8 MiB", "/there", "another server", "404"]) {
        #expect(reason.contains(word) || word.isEmpty)
      }
    }
  }

  @Test func onlyFilesOfTheInstanceAreFetchedAlong() async throws {
    let seen = Counter()
    let other = try LoopbackServer { _ in
      seen.add()
      return ServerResponse(status: 200)
    }
    let asked = Mutex<[String]>([])
    let instance = try StubInstance { request in
      guard request.path == "/page" else {
        asked.withLock { $0.append(request.target) }
        return ServerResponse(status: 200, text: "x")
      }
      return ServerResponse(
        status: 200, headers: ["Content-Type": "text/html"],
        text: """
          <!-- <img src="/comment"> --><BASE HREF='/deep/'><img src=one.png><IMG SRC="\(other.url)/evil.png">
          <script>document.write('<img src="/written">')</script><script src="//u:p@\(request.headers["Host"] ?? "")/deep/two.js?a=1&amp;b=2"></script>
          <link rel="icon" href="icon.png"><link rel="alternate stylesheet" href="//127.0.0.1:1/x.css">
          <img src="javascript:1"><img src="data:image/png;base64,AA"><img src="one.png"><img src
          """)
    }
    try await onLoop { () async throws in
      let rig = try Rig(at: instance.url)
      let page = try await rig.call("web.preload", ["urls": ["/page"]])["pages"]?.array?.first
      #expect(page?["kept"] == true && page?["linked"] == 2)
    }
    #expect(seen.value == 0)
    #expect(asked.withLock { $0 } == ["/deep/one.png", "/deep/two.js?a=1&b=2"])
  }

  @Test func noMoreThanSoManyReferencesAreLookedAt() async throws {
    let asked = Counter()
    let instance = try StubInstance { request in
      guard request.path == "/page" else {
        asked.add()
        return ServerResponse(status: 200, text: "x")
      }
      let others = String(repeating: "<img src='https://other.example/x'>", count: 511)
      return ServerResponse(
        status: 200, headers: ["Content-Type": "text/html"], text: others + "<img src='/last'><img src='/more'>")
    }
    try await onLoop { () async throws in
      let rig = try Rig(at: instance.url)
      let page = try await rig.call("web.preload", ["urls": ["/page"]])["pages"]?.array?.first
      #expect(page?["linked"] == 1 && asked.value == 1)
    }
  }

  @Test func thereIsNoMoreThanThirtyTwoMegabytes() async throws {
    let asked = Counter()
    let instance = try StubInstance { _ in
      asked.add()
      return ServerResponse(status: 200, body: [UInt8](repeating: 0x61, count: 8 << 20))
    }
    try await onLoop { () async throws in
      let rig = try Rig(at: instance.url)
      try await rig.call("web.preload", ["urls": ["/1", "/2", "/3", "/4", "/5"]])
      #expect(asked.value == 5)
      let base = Rig.base(try await rig.open("/"))
      for name in ["5", "4", "3", "2"] { #expect(try await rig.get("\(base)/\(name)").status == 200) }
      #expect(asked.value == 5)
      // The one that was not used for the longest time.
      #expect(try await rig.get("\(base)/1").status == 200)
      #expect(asked.value == 6)
    }
  }
}
