import EventLoop
import RingiCore
import RingiModel
import RingiKit
import Glibc

signal(SIGPIPE, SIG_IGN)
let path = CommandLine.arguments[CommandLine.arguments.firstIndex(of: "--socket").map { $0 + 1 } ?? 0]
Loop.task { @Loop in
  let clock = SystemClock.shared
  let registry = Registry()
  let redactor = Redactor()
  let log = Log(clock: clock, redactor: redactor)
  let bus = EventBus(log: EventLog(), clock: clock, host: "localhost")
  let environment = SessionEnvironment(
    registry: registry, bus: bus, clock: clock, redactor: redactor, limits: Limits(), counters: Counters())
  let server = Server(environment: environment, log: log)
  try registry.add(
    AgentMethods.all(.init(status: { .null }, reload: { .null }, shutdown: { Loop.stop() })) + EventMethods.all(bus) + [
      Discover.method(registry, version: "0")
    ], of: "agent")
  try server.listen(Listener.Address(path: path))
  Keep.server = server
}
@Loop enum Keep { static var server: Server? }
Loop.run()
