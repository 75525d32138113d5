import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Handles control-C and SIGTERM: the first cancels the command, the second kills the process.
///
/// The signals are blocked in every thread and the main thread waits for them, so nothing runs in a signal
/// handler. (It must be the main thread: Dispatch would park it with every signal unblocked.)
enum Interruption {
  /// How long cancelled requests may take to close and to remove their files before the process ends anyway.
  private static let grace = Locked(Duration.seconds(2))
  private static let step = Duration.milliseconds(20)

  /// Extends the grace for a command that needs longer to end.
  static func allow(_ time: Duration) { grace.withLock { $0 = max($0, time) } }

  /// Blocks the signals. Must be called before there is a second thread, because threads inherit the signal
  /// mask.
  static func block() {
    signal(SIGPIPE, SIG_IGN)
    // A shell without job control starts background processes with SIGINT ignored; a SIGINT sent to this
    // process shall still interrupt it.
    signal(SIGINT, SIG_DFL)
    var set = signals
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for a signal, cancels, and ends the process if cancelling has not ended it within the grace.
  static func wait(_ cancel: (Int32) -> Void) -> Never {
    var set = signals
    var number: Int32 = 0
    sigwait(&set, &number)
    // A second signal ends the process by the system's default.
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    cancel(number)
    waitForCleanUp()
    _exit(128 + number)
  }

  /// Waits for cancelled work, but not for a reader of standard output that does not read.
  private static func waitForCleanUp() {
    var stuck = 0
    for _ in 0..<Int(grace.withLock { $0 } / step) {
      usleep(20_000)
      stuck = OutputDescriptor.isWriting ? stuck + 1 : 0
      if stuck == 3 { return }
    }
  }

  private static var signals: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGINT)
    sigaddset(&set, SIGTERM)
    return set
  }
}

/// Standard input, output and error, which the parent process may have closed.
enum StandardDescriptors {
  /// Opens `/dev/null` for each closed descriptor; otherwise the next socket would get its number, and bodies
  /// would be written into it. Reading from it yields the end of the file, and writing to it fails.
  static func reserve() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", O_RDONLY)
    }
  }
}
