internal import Timing

/// The command line of ringid.
struct Arguments {
  var config: String?
  var state: String?
  var sockets: [String] = []
  var isStdio = false
  var isCheck = false
  /// A backup to put in the place of the store.
  var restore: String?
  /// A plugin to check: the name of an instance, or the path of its file.
  var plugin: String?
  /// How long each answer of that plugin may take.
  var timeout = Duration.seconds(10)
  var wantsJSON = false
  var wantsVersion = false
  var wantsHelp = false

  /// What is wrong with a command line.
  struct UsageError: Error {
    let message: String
  }

  /// Reads a command line.
  ///
  /// - Parameter words: The words after the program's name.
  /// - Throws: ``UsageError``.
  init(_ words: [String]) throws(UsageError) {
    var rest = words[...]
    while let word = rest.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      switch parts[0] {
      case "--config": config = try Self.value(parts, &rest)
      case "--state": state = try Self.value(parts, &rest)
      case "--socket": sockets.append(try Self.value(parts, &rest))
      case "--stdio": isStdio = true
      case "--check": isCheck = true
      case "--restore": restore = try Self.value(parts, &rest)
      case "--check-plugin": plugin = try Self.value(parts, &rest)
      case "--timeout": timeout = try Self.duration(try Self.value(parts, &rest))
      case "--json": wantsJSON = true
      case "--version": wantsVersion = true
      case "--help", "-h": wantsHelp = true
      default: throw UsageError(message: "ringid does not know \(word); `ringid --help` lists what it takes.")
      }
    }
  }

  private static func value(_ parts: [String], _ rest: inout ArraySlice<String>) throws(UsageError) -> String {
    guard let value = parts.count > 1 ? parts[1] : rest.popFirst(), !value.isEmpty else {
      throw UsageError(message: "\(parts[0]) takes a path: \(parts[0]) PATH.")
    }
    return value
  }

  private static func duration(_ text: String) throws(UsageError) -> Duration {
    do throws(DurationTextError) {
      return try DurationText.parse(text)
    } catch {
      throw UsageError(message: "--timeout: \(error).")
    }
  }

  static let help = """
    ringid - the agent that watches where work waits for a person

    usage: ringid [--config DIR] [--state DIR] [--socket PATH]... [--stdio]
           ringid --check [--config DIR]
           ringid --check-plugin PLUGIN [--config DIR] [--timeout DURATION]
                  [--json]
           ringid --restore FILE [--state DIR]

      --config DIR    where ringi.json, plugins.d, jobs.d and hooks.d are
                      ($RINGI_CONFIG, $XDG_CONFIG_HOME/ringi, ~/.config/ringi,
                      /etc/ringi)
      --state DIR     where the agent keeps what it has to remember
                      ($RINGI_STATE, $XDG_STATE_HOME/ringi, ~/.local/state/ringi)
      --socket PATH   listen on a Unix socket; may be given several times
                      ($RINGI_SOCKET, $XDG_RUNTIME_DIR/ringi/agent.sock,
                      STATE/agent.sock)
      --stdio         serve one client on standard input and output; alone, no
                      socket is opened
      --check         read the whole configuration, print every problem, and the
                      next times of the jobs
      --check-plugin PLUGIN
                      run one plugin alone, a name in plugins.d or the path of its
                      .json file, and tell where it departs from the protocol;
                      nothing is changed and no task decided (`ringi plugin check`)
      --timeout DURATION
                      how long each answer of that plugin may take (10s)
      --json          print what --check-plugin finds as JSON
      --restore FILE  put a backup (`ringi backup`) in the place of the store, which
                      is set aside
      --version       print the version
      --help          print this

    signals: TERM and INT end it in an orderly way, a second one at once; HUP reads
             the configuration again.

    exit codes:
       0  done
       1  --check-plugin found departures
      64  the command line makes no sense
      65  the backup can't be used
      66  no such plugin
      69  another agent has the socket or the state
      71  the system refuses
      74  the output can't be written
      78  the configuration has errors

    Try it:
      ringid --check --config .            is this configuration right?
      ringid --check-plugin ./todo.json    does this plugin keep to the protocol?
      ringid --stdio                       then type a request, such as
            {"jsonrpc":"2.0","id":1,"method":"agent.ping"}
      ringid & sleep 2; ringi status       an agent on the default socket, and a
                                           question to it

    """
}
