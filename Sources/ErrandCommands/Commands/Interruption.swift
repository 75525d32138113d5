import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Handles control-C, SIGTERM and SIGHUP, which the end of a terminal sends: the first cancels the command, the second kills the process.
///
/// The signals are blocked in every thread and the main thread waits for them, so nothing runs in a signal
/// handler. The main thread must wait, because Dispatch would park it with every signal unblocked.
enum Interruption {
  /// How long cancelled requests may take to close their connections and remove their files before the process
  /// ends.
  private static let grace = Locked(Duration.seconds(2))
  private static let step = Duration.milliseconds(20)
  private static let received = Locked<Int32?>(nil)

  /// The signal that interrupted the command; nil before that.
  static var number: Int32? { received.withLock { $0 } }

  /// The exit code of a command that a signal interrupted. Control-C if none came, as when a task was cancelled.
  static var exitCode: Int32 { 128 + (number ?? SIGINT) }

  /// Extends this time for a command that needs longer to end.
  static func allow(_ time: Duration) { grace.withLock { $0 = max($0, time) } }

  /// Blocks the signals. Must be called before a second thread starts, because threads inherit the signal mask.
  static func block() {
    signal(SIGPIPE, SIG_IGN)
    // A shell without job control starts background processes with SIGINT ignored. A SIGINT that is sent to this
    // process must still interrupt it.
    signal(SIGINT, SIG_DFL)
    var set = signals
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for a signal, calls `cancel`, and ends the process if it has not ended within the grace period.
  static func wait(_ cancel: () -> Void) -> Never {
    var set = signals
    var number: Int32 = 0
    sigwait(&set, &number)
    // A second signal then ends the process, because that is the system's default.
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    received.withLock { [number] in $0 = number }
    cancel()
    waitForCleanUp()
    _exit(128 + number)
  }

  /// Waits for cancelled work, but at most 60 ms while a write blocks because the reader does not read.
  private static func waitForCleanUp() {
    var stuck = 0
    for _ in 0..<Int(grace.withLock { $0 } / step) {
      usleep(20_000)
      stuck = OutputDescriptor.isWriting ? stuck + 1 : 0
      if stuck == 3 { return }
    }
  }

  /// False under nohup, which ignores the signal: the program then continues without its terminal.
  private static let endsWithTerminal: Bool = {
    let old = signal(SIGHUP, SIG_DFL)
    let isIgnored = unsafeBitCast(old, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    if isIgnored { signal(SIGHUP, SIG_IGN) }
    return !isIgnored
  }()

  private static var signals: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGINT)
    sigaddset(&set, SIGTERM)
    if endsWithTerminal { sigaddset(&set, SIGHUP) }
    return set
  }
}

/// Standard input, output and error, which the parent process may have closed.
enum StandardDescriptors {
  /// Opens `/dev/null` for each closed descriptor. Otherwise the next socket would get that number, and a body
  /// would be written into the socket. Reading from it yields the end of the file, and writing to it fails.
  static func reserve() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", O_RDONLY)
    }
  }
}
