#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A program that was started. Foundation's `Process` will not do: it takes a program for running as long as a daemon
/// that the program left behind.
struct ChildProcess {
  private let pid: pid_t

  /// - Parameters:
  ///   - input: The file that it reads.
  ///   - output: The descriptor that it writes to; nil: nowhere.
  ///   - errors: The file that it writes its complaints to.
  init(
    _ path: String, _ arguments: [String], in folder: String, input: String = "/dev/null", output: Int32?,
    errors: String = "/dev/null"
  ) throws {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
    if let output {
      posix_spawn_file_actions_adddup2(&actions, output, 1)
    } else {
      posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    }
    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT, 0o600)
    // The call that sets the folder is hidden from Swift, so a shell does it and then becomes the program.
    let line = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", folder, path] + arguments
    var words: [UnsafeMutablePointer<CChar>?] = line.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var pid: pid_t = 0
    let code = posix_spawn(&pid, line[0], &actions, nil, &words, environ)
    guard code == 0 else {
      throw Shell.Failure(description: "\(path) cannot be started: \(String(cString: strerror(code)))")
    }
    self.pid = pid
  }

  /// Waits for its end. True if it ended well.
  func wait() -> Bool {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return status == 0
  }

  /// Ends it by force: it may have inherited a mask of signals in which the gentle one is blocked.
  func terminate() {
    kill(pid, SIGKILL)
    _ = wait()
  }
}
