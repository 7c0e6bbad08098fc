/// What `ringi-sandbox` was asked to do.
package struct SandboxArguments: Sendable {
  package enum Backend: String, Sendable, CaseIterable {
    case curam
    case sapWorkflow = "sap-workflow"
    case serviceNow = "servicenow"
    case todoist
    case wunderlist
    case usersAPI = "users-api"

    static let names = allCases.map(\.rawValue).joined(separator: ", ")
  }

  /// Arguments that make no sense together, or at all.
  package struct UsageError: Error, CustomStringConvertible { package let description: String }

  package private(set) var wantsHelp = false
  package private(set) var backend = Backend.sapWorkflow
  /// What SAP's workflow service begins with.
  package private(set) var configuration = SAPWorkflowConfiguration(.neo)
  package private(set) var curam = CuramConfiguration()
  package private(set) var serviceNow = ServiceNowConfiguration()
  package private(set) var todoist = TodoistConfiguration()
  package private(set) var wunderlist = WunderlistConfiguration()
  package private(set) var usersAPI = UsersAPIConfiguration()
  package private(set) var port: UInt16 = 0
  package private(set) var certificateFile: String?
  package private(set) var keyFile: String?
  package private(set) var endsWithStdin = false

  /// Reads the arguments, without the program's own name.
  ///
  /// - Throws: `UsageError` with a sentence for whoever typed them.
  package init(_ arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    var backend: String?
    var settings: [(Substring, Substring)] = []
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h": wantsHelp = true
      case "--until-stdin-closes": endsWithStdin = true
      case "--env": configuration = try Self.configuration(try Self.value(of: argument, &rest))
      case "--port": port = try Self.port(try Self.value(of: argument, &rest))
      case "--set": settings.append(try Self.setting(try Self.value(of: argument, &rest)))
      case "--tls-certificate": certificateFile = try Self.value(of: argument, &rest)
      case "--tls-key": keyFile = try Self.value(of: argument, &rest)
      case _ where argument.hasPrefix("-"): throw UsageError(description: "unknown option \(argument)")
      case _ where backend == nil: backend = argument
      default: throw UsageError(description: "one backend at a time, but got \(backend ?? "") and \(argument)")
      }
    }
    if wantsHelp { return }
    guard let known = backend.flatMap(Backend.init) else {
      throw UsageError(
        description: "name a backend, one of \(Backend.names)" + (backend.map { ", not \($0)" } ?? ""))
    }
    self.backend = known
    guard (certificateFile == nil) == (keyFile == nil) else {
      throw UsageError(description: "--tls-certificate and --tls-key go together")
    }
    // After all options, because --env decides what a switch begins with.
    for (name, value) in settings { try set(String(name), String(value)) }
  }

  private mutating func set(_ name: String, _ value: String) throws(UsageError) {
    do throws(SwitchError) {
      switch backend {
      case .curam: try curam.switches.set(name, value)
      case .sapWorkflow: try configuration.switches.set(name, value)
      case .serviceNow: try serviceNow.switches.set(name, value)
      case .todoist: try todoist.switches.set(name, value)
      case .wunderlist: try wunderlist.switches.set(name, value)
      case .usersAPI: try usersAPI.switches.set(name, value)
      }
    } catch {
      throw UsageError(description: "--set \(name)=\(value): \(error.description)")
    }
  }

  private static func value(of option: String, _ rest: inout ArraySlice<String>) throws(UsageError) -> String {
    guard let value = rest.popFirst() else { throw UsageError(description: "\(option) needs a value") }
    return value
  }

  private static func configuration(_ text: String) throws(UsageError) -> SAPWorkflowConfiguration {
    guard let environment = SAPEnvironment(rawValue: text) else {
      throw UsageError(description: "--env takes neo, cf or sbpa, not \(text)")
    }
    return SAPWorkflowConfiguration(environment)
  }

  private static func port(_ text: String) throws(UsageError) -> UInt16 {
    guard let port = UInt16(text) else { throw UsageError(description: "--port takes 0 to 65535, not \(text)") }
    return port
  }

  private static func setting(_ text: String) throws(UsageError) -> (Substring, Substring) {
    let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard sides.count == 2 else { throw UsageError(description: "--set takes SWITCH=VALUE, not \(text)") }
    return (sides[0], sides[1])
  }
}
