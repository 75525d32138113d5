#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Runs another program to its end.
public enum Child {
  /// The error of a program that could not be started or failed.
  public struct Failed: Error, CustomStringConvertible {
    /// The reason, as a sentence.
    public let description: String
  }

  /// Runs a program until its end, with its standard output written to a file. PATH locates the program.
  /// - Returns: The time from before its start until after its end.
  @discardableResult
  public static func run(_ command: [String], output: String = "/dev/null") throws -> Duration {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var id = pid_t()
    let begin = ContinuousClock.now
    let code = posix_spawnp(&id, command[0], &actions, nil, &arguments, environ)
    guard code == 0 else {
      throw Failed(description: "\(command[0]): \(String(cString: strerror(code)))")
    }
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    let time = ContinuousClock.now - begin
    guard status == 0 else {
      let end = status & 0x7F == 0 ? "status \(status >> 8)" : "signal \(status & 0x7F)"
      throw Failed(description: "\(command.joined(separator: " ")) ended with \(end)")
    }
    return time
  }
}
