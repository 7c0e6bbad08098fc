package import EventLoop
package import RingiKit

/// A secret could not be read; says where it should be, and never what it is.
package struct SecretError: Error, Equatable, CustomStringConvertible {
  package enum Reason: Error, Equatable {
    case notSet
    case noCredentials
    case notAName
    case unreadable(SystemError)
    case notAFile
    case empty
    case tooLong
    case notText
    case notStarted(ChildProcessError)
    case ended(ChildProcess.ExitStatus)
    case timeout
  }

  package let secret: Secret
  package let reason: Reason

  /// One sentence that names the place and says what to do.
  package var description: String { "The secret from \(place) can't be read: \(explanation)." }

  private var place: String {
    if case .value = secret.origin { "the settings" } else { secret.description }
  }

  private var explanation: String {
    switch reason {
    case .notSet: "the variable is not set where the agent was started"
    case .noCredentials:
      "CREDENTIALS_DIRECTORY is not set; let systemd start the agent with LoadCredential= or SetCredential="
    case .notAName: "a credential is named without a folder"
    case .unreadable(let error): "\(error)"
    case .notAFile: "it is no regular file"
    case .empty: "it is empty"
    case .tooLong: "it is longer than \(SecretReader.maxBytes) bytes"
    case .notText: "it is not UTF-8 text"
    case .notStarted(let error): String(error.description.dropLast())
    case .ended(let status): "the command ended with \(status); run it by hand to see why"
    case .timeout: "the command took longer than \(SecretReader.timeout.components.seconds) seconds"
    }
  }
}
