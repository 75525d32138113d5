import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Control-C and SIGTERM: the first cancels, the second kills.
///
/// The signals are blocked in every thread and the main thread waits for them, so nothing is done in a signal handler.
/// (The main thread must do it: Dispatch would park it with every signal let through.)
enum Interruption {
  /// What was in flight has so long to close and to remove its files; then the process ends anyway.
  private static let grace = Locked(Duration.seconds(2))
  private static let step = Duration.milliseconds(20)

  /// For a command that takes its time to end.
  static func allow(_ time: Duration) { grace.withLock { $0 = max($0, time) } }

  /// Must be called before there is a second thread, for threads inherit what is blocked.
  static func block() {
    signal(SIGPIPE, SIG_IGN)
    // A shell without job control starts what it puts into the background with SIGINT ignored. Whoever sends it to
    // this process means it all the same.
    signal(SIGINT, SIG_DFL)
    var set = signals
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for a signal, cancels, and ends the process if cancelling has not done so soon.
  static func wait(_ cancel: (Int32) -> Void) -> Never {
    var set = signals
    var number: Int32 = 0
    sigwait(&set, &number)
    // From here on a second one ends the process the system's way.
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    cancel(number)
    waitForCleanUp()
    _exit(128 + number)
  }

  /// Waits for what was cancelled; not for a reader of standard output that does not read.
  private static func waitForCleanUp() {
    var stuck = 0
    for _ in 0..<Int(grace.withLock { $0 } / step) {
      usleep(20_000)
      stuck = Outlet.isWriting ? stuck + 1 : 0
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
