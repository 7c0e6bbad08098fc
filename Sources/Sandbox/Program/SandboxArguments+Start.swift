import Glibc
internal import HTTPServer

extension SandboxArguments {
  /// Why a sandbox did not start.
  package enum StartError: Error, Equatable {
    /// A file of the certificate could not be read; with errno.
    case file(String, code: CInt)
    case server(String)
  }

  /// The sandbox that was asked for; it does not listen yet.
  package var sandbox: any RunnableSandbox {
    switch backend {
    case .curam: CuramSandbox(curam)
    case .sapWorkflow: SAPWorkflowSandbox(configuration)
    case .serviceNow: ServiceNowSandbox(serviceNow)
    case .todoist: TodoistSandbox(todoist)
    case .wunderlist: WunderlistSandbox(wunderlist)
    case .usersAPI: UsersAPISandbox(usersAPI)
    }
  }

  /// Lets a sandbox listen as asked for.
  package func start(_ sandbox: some RunnableSandbox) throws(StartError) {
    var tls: LoopbackServer.TLS?
    if let certificateFile, let keyFile {
      tls = .init(certificate: try Self.text(of: certificateFile), key: try Self.text(of: keyFile))
    }
    do throws(ServerError) {
      try sandbox.start(port: port, tls: tls)
    } catch {
      throw .server(error.description)
    }
  }

  private static func text(of path: String) throws(StartError) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .file(path, code: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count >= 0 else { throw .file(path, code: errno) }
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }
}
