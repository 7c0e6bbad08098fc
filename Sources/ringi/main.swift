internal import Glibc
internal import RingiClient

exit(Client.run(Array(CommandLine.arguments.dropFirst()), in: .ofProcess()).rawValue)
