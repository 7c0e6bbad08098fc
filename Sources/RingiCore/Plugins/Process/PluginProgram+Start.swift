internal import EventLoop

extension PluginProgram {
  /// What is run.
  ///
  /// - Parameters:
  ///   - directory: The folder of the plugin's file.
  ///   - environment: What it gets of the agent's own environment.
  /// - Returns: The command, with its environment and its limits.
  func start(in directory: String, _ environment: [String: String]) -> ChildProcess.Command {
    var command = ChildProcess.Command(
      self.command, environment: environment.merging(self.environment) { $1 }, directory: directory)
    command.limits = limits.ofChild
    return command
  }
}
