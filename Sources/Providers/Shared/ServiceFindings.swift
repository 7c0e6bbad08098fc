internal import RingiKit

/// What a check of a service has found, and what to do about it.
struct ServiceFindings {
  let instance: String
  /// The instance's file of plugins.d.
  let file: String
  let url: HTTPURL
  let tls: TLSSettings
  /// The settings that hold the credentials.
  let credentials: String
  let hasBrowserLogin: Bool
  let limit: Duration
  let exchanges: [HTTPTrace.Exchange]
  /// Whether the read shows that the credentials are good, or why it failed.
  let outcome: Result<Bool, RPCError>
  /// Whether it failed for want of time.
  let isTimeout: Bool

  private var failure: RPCError? {
    if case .failure(let error) = outcome { error } else { nil }
  }

  var all: [Finding] {
    hosts.flatMap { [reachability($0), secrecy($0)] } + [login] + [rateLimit, clock].compactMap(\.self)
  }

  // MARK: Hosts

  /// A server with the last that was heard of it; nil for one that nothing was sent to.
  private typealias Host = (origin: HTTPURL.Origin, last: HTTPTrace.Exchange?)

  /// The service's own, and those that the login is at.
  private var hosts: [Host] {
    let sent = exchanges.filter { !$0.isRemembered }
    var origins = [url.origin]
    for exchange in sent where !origins.contains(exchange.url.origin) { origins.append(exchange.url.origin) }
    return origins.map { origin in (origin, sent.last { $0.url.origin == origin }) }
  }

  private func reachability(_ host: Host) -> Finding {
    let name = "\(host.origin.host):\(host.origin.port)"
    switch host.last?.outcome {
    // A login under way, which others wait for too, is no request of this check's own.
    case nil where isTimeout:
      return problem(
        "nothing came of asking \(name) within \(DurationText.format(limit))",
        "See whether the service, and where the login is, are up and not overloaded.")
    case nil: return Finding(.reachability, .skipped, "\(name) was not asked: \(whyUnasked)")
    case .success(let response) where response.status >= 500:
      return Finding(
        .reachability, .problem, "\(name) answers, but is not available (status \(response.status))",
        advice: "Try again later; when it lasts, ask whoever runs it.")
    case .success(let response):
      let time = DurationText.format(.milliseconds(max(host.last?.duration.wholeMilliseconds ?? 0, 1)))
      return Finding(.reachability, .ok, "\(name) answers (status \(response.status), \(time))")
    case .failure(let error): return unreachable(error, name, host.origin.host)
    }
  }

  private var whyUnasked: String {
    if failure?.details["retryAfter"] != nil { return "it wants to be left alone" }
    return exchanges.contains(where: \.isRemembered)
      ? "the login was refused before" : "there are no credentials to ask with, or none that could be read"
  }

  private func unreachable(_ error: HTTPError, _ name: String, _ host: String) -> Finding {
    let wasSent = error.requestWasSent
    switch error.kind {
    case .tls: return Finding(.reachability, .ok, "\(name) takes connections")
    case .resolve:
      return problem(
        "the name \(host) has no address",
        "Correct its spelling in settings.url of \(file), or see to the name service: `getent hosts \(host)`.")
    case .connect:
      return problem(
        "\(name) takes no connection: \(error)",
        "Check that the service runs, and the address in settings.url of \(file).")
    case .timeout(.connect),
      .cancelled where !wasSent:
      return problem(
        "no connection to \(name) in the time allowed",
        "Check the network, the firewall, the proxy (https_proxy) and settings.url of \(file).")
    case .timeout, .cancelled:
      return problem(
        "\(name) takes connections and gives no whole answer within \(DurationText.format(limit))",
        "Try again later; when it lasts, ask whoever runs it.")
    default: return problem("\(error)", "Check the network, the proxy and settings.url of \(file).")
    }
  }

  private func problem(_ message: String, _ advice: String) -> Finding {
    Finding(.reachability, .problem, message, advice: advice)
  }

  // MARK: TLS

  /// So long before its end a certificate should be renewed.
  private static let renewal = Duration.seconds(14 * 86_400)

  private func secrecy(_ host: Host) -> Finding {
    let name = host.origin.host
    guard host.origin.scheme == "https" else {
      return host.origin.isLoopback
        ? Finding(.tls, .skipped, "plain http, which does not leave this machine")
        : Finding(
          .tls, .warning, "plain http: whoever is on the way to \(name) reads the credentials, and may change answers",
          advice: "Write https into the address in settings of \(file), if the service has it.")
    }
    guard let last = host.last else { return Finding(.tls, .skipped, "there was no connection to \(name)") }
    if case .failure(let error) = last.outcome {
      if case .tls(let what) = error.kind { return refused(what, name) }
      guard error.requestWasSent else { return Finding(.tls, .skipped, "there was no connection to \(name)") }
    }
    return verified(name, until: last.certificateEnd, at: last.time)
  }

  private func refused(_ what: String, _ name: String) -> Finding {
    Finding(
      .tls, .problem, "no secure connection to \(name): \(what); certificates are checked against \(authorities)",
      advice: "If the service has an authority of its own, name its PEM file in settings.tls.authorityFile of \(file); "
        + "else have whoever runs it mend the certificate.")
  }

  private func verified(_ name: String, until end: Timestamp?, at now: Timestamp) -> Finding {
    guard let end else { return Finding(.tls, .ok, "the certificate of \(name) is good, by \(authorities)") }
    let left = end.duration(since: now)
    let message = "the certificate of \(name) is good until \(end.rfc3339.prefix(10)), by \(authorities)"
    guard left < Self.renewal else { return Finding(.tls, .ok, message) }
    return Finding(
      .tls, .warning, "\(message): that is in \(max(left.components.seconds, 0) / 86_400) days",
      advice: "Have whoever runs it renew the certificate.")
  }

  private var authorities: String {
    tls.authorityFile.map { "the authorities in \($0)" } ?? tls.authorityDirectory.map { "the authorities in \($0)" }
      ?? "the system's authorities"
  }

  // MARK: The login

  private var login: Finding {
    let failure: RPCError
    switch outcome {
    case .success(true): return Finding(.credentials, .ok, "the service lets them in, and a read was answered")
    case .success(false):
      return Finding(.credentials, .skipped, "not tried: the settings have no operation that reads without params")
    case .failure(let error): failure = error
    }
    let message = sentence(failure)
    switch failure.kind {
    case "login-required": return refusal(message)
    case "unavailable", "cancelled", "plugin-down", "overloaded":
      return Finding(.credentials, .skipped, "not tried to the end: \(message)")
    default:
      if failure.details["status"] == 403 {
        return Finding(
          .credentials, .problem, "the service lets them in and allows no read: \(message)",
          advice: "Have the right granted, or use other credentials in \(file).")
      }
      return Finding(
        .service, .problem, message,
        advice: "Check settings.url of \(file), and that it is the right service.")
    }
  }

  private func refusal(_ message: String) -> Finding {
    let isRemembered = exchanges.contains(where: \.isRemembered)
    let advice =
      hasBrowserLogin
      ? "Log in with `ringi login \(instance)`."
      : "Correct \(credentials) in settings of \(file), or where that says they are; then `ringi plugins restart \(instance)`."
    return Finding(
      .credentials, .problem,
      isRemembered ? "refused before, and so not tried again: \(message)" : message, advice: advice)
  }

  private var rateLimit: Finding? {
    guard let seconds = failure?.details["retryAfter"]?.double else { return nil }
    return Finding(
      .rateLimit, .warning, "the service asks to be left alone for another \(Int64(min(seconds, 1e9).rounded(.up))) s",
      advice: "Wait: until then nothing is sent. When it comes often, raise poll.every in \(file).")
  }

  /// The error's sentence without the instance's name, which stands above.
  private func sentence(_ error: RPCError) -> String {
    var text = error.message[...]
    if text.hasPrefix("\(instance): ") { text = text.dropFirst(instance.count + 2) }
    return String(text.hasSuffix(".") ? text.dropLast() : text)
  }

  // MARK: The clock

  private static let notable: Int64 = 60
  private static let harmful: Int64 = 300

  /// What the service's clock shows beside ours; nil when it did not say.
  private var clock: Finding? {
    for exchange in exchanges where !exchange.isRemembered {
      // A cache hands on dates that are old.
      guard case .success(let response) = exchange.outcome, response.headers["Age"] == nil,
        let date = response.headers["Date"].flatMap({ Timestamp(httpDate: $0, now: exchange.time) })
      else { continue }
      return clock(exchange.url.origin.host, ahead: ahead(date, exchange))
    }
    return nil
  }

  /// How far the date is from the time that the exchange took, in seconds.
  private func ahead(_ date: Timestamp, _ exchange: HTTPTrace.Exchange) -> Int64 {
    let late = date.duration(since: exchange.time).components.seconds
    if late > 0 { return late }
    return min(date.duration(since: exchange.time - exchange.duration).components.seconds, 0)
  }

  private static func text(_ seconds: Int64) -> String {
    switch seconds {
    case ..<120: "\(seconds) s"
    case ..<7200: "\((seconds + 30) / 60) min"
    default: "\((seconds + 1800) / 3600) h"
    }
  }

  private func clock(_ host: String, ahead seconds: Int64) -> Finding {
    let distance = Int64(clamping: seconds.magnitude)
    guard distance >= Self.notable else {
      return Finding(.clock, .ok, "the clock of \(host) is within \(max(distance, 1)) s of ours")
    }
    return Finding(
      .clock, distance >= Self.harmful ? .problem : .warning,
      "the clock of \(host) is \(Self.text(distance)) \(seconds > 0 ? "ahead of" : "behind") ours; "
        + "tokens and sessions end at the wrong time",
      advice: "See whether this machine's clock is right (`timedatectl`); if it is, tell whoever runs the service.")
  }
}
