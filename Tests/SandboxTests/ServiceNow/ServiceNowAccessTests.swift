import JSON
import RingiTestSupport
import Sandbox
import Testing
import Timing

@Suite struct ServiceNowAccessTests {
  @Test func withoutALoginEveryTableIsRefused() throws {
    let sandbox = try startedServiceNow()
    for requests in [
      ServiceNowRequests(sandbox, basic: nil), ServiceNowRequests(sandbox, basic: "hanako:wrong"),
      ServiceNowRequests(sandbox, bearer: "unknown"),
    ] {
      let answer = try requests.get("task")
      #expect(answer.status == 401 && answer["WWW-Authenticate"] == "Basic realm=\"Service-now\"")
      #expect(answer.message == "User is not authenticated" && answer["X-Is-Logged-In"] == "false")
    }
  }

  @Test func restrictedBasicIsForSomeAccountsAlone() throws {
    let sandbox = try startedServiceNow { $0.switches.basicAuth = .restricted }
    #expect(try ServiceNowRequests(sandbox).get("task").status == 401)
    sandbox.with { $0.users["hanako"]?.mayUseBasic = true }
    #expect(try ServiceNowRequests(sandbox).get("task").status == 200)
  }

  @Test func everyAnswerCarriesTheHeadersOfTheService() throws {
    let answer = try ServiceNowRequests(startedServiceNow()).get("task")
    #expect(answer["X-Is-Logged-In"] == "true" && answer["Server"] == "ServiceNow")
    #expect(answer["X-Transaction-ID"]?.isEmpty == false)
    #expect(answer["Cache-Control"] == "no-cache,no-store,must-revalidate,max-age=-1")
  }

  @Test func aRefusalOfSomethingElseThanTheLoginIsForSomebodyWhoIsLoggedIn() throws {
    let answer = try ServiceNowRequests(startedServiceNow()).get("task/nowhere")
    #expect(answer.status == 404 && answer["X-Is-Logged-In"] == "true")
  }

  @Test func aSessionsCookiesNeedItsTokenAndEndWithTime() throws {
    let sandbox = try startedServiceNow()
    let first = try ServiceNowRequests(sandbox).get("task")
    #expect(first.cookies.contains("JSESSIONID=") && first.cookies.contains("glide_session_store="))
    var requests = ServiceNowRequests(sandbox, basic: nil)
    requests.headers.append(("Cookie", first.cookies))
    let refused = try requests.get("task")
    let token = try #require(refused["X-UserToken-Response"])
    #expect(refused.status == 401 && token.count == 72 && refused["X-Is-Logged-In"] == "true")
    requests.headers.append(("X-UserToken", token))
    #expect(try requests.get("task").status == 200)
    sandbox.with { $0.clock.advance(by: .seconds(60)) }
    let ended = try requests.get("task")
    #expect(ended.status == 401 && ended["X-Is-Logged-In"] == "false")
    // Pitfall 16: the token alone is no credential.
    var alone = ServiceNowRequests(sandbox, basic: nil)
    alone.headers.append(("X-UserToken", token))
    #expect(try alone.get("task").status == 401)
  }

  @Test(arguments: [true, false])
  func aSessionThatWasBornFromATokenMayEndWithIt(_ endsWithToken: Bool) throws {
    let sandbox = try startedServiceNow {
      $0.switches.cookieDiesWithToken = endsWithToken
      $0.switches.integrationTimeout = .seconds(3600)
    }
    let token = try ServiceNowRequests(sandbox).token(ServiceNowRequests.password).json()["access_token"]?.string
    let first = try ServiceNowRequests(sandbox, bearer: try #require(token)).get("task")
    var requests = ServiceNowRequests(sandbox, basic: nil)
    requests.headers.append(("Cookie", first.cookies))
    requests.headers.append(("X-UserToken", try #require(try requests.get("task")["X-UserToken-Response"])))
    sandbox.with { $0.clock.advance(by: .seconds(1800)) }
    #expect(try requests.get("task").status == (endsWithToken ? 401 : 200))
  }

  @Test func aRateRuleBitesWhenItsCountIsCommitted() throws {
    let sandbox = try startedServiceNow { $0.switches.rateLimit = 2 }
    let requests = ServiceNowRequests(sandbox)
    for _ in 0..<3 {
      let answer = try requests.get("task")
      #expect(answer.status == 200 && answer["X-RateLimit-Limit"] == "2" && answer["Retry-After"] == nil)
    }
    sandbox.with { $0.clock.advance(by: .seconds(30)) }
    let answer = try requests.get("task")
    #expect(answer.status == 429 && answer.message == "Rate limit exceeded")
    let wait = try #require(answer["Retry-After"].flatMap { Int64($0) })
    #expect(answer["X-RateLimit-Reset"] == "\(1_795_996_830 + wait)")
    sandbox.with { $0.clock.advance(by: .seconds(wait)) }
    #expect(try requests.get("task").status == 200)
  }

  @Test func anInstanceThatSleepsAnswersWithAPage() throws {
    let answer = try ServiceNowRequests(startedServiceNow { $0.switches.hibernating = true }).get("task")
    #expect(answer.status == 200 && answer["Content-Type"]?.hasPrefix("text/html") == true)
    #expect(answer.text.contains("instance-hibernating-page"))
  }
}
