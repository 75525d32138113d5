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
/// The signals are blocked in every thread and one thread waits for them, so nothing is done in a signal handler.
final class Interruption: Sendable {
  /// What was in flight has so long to close and to remove its files; then the process ends anyway.
  private static let grace: UInt32 = 2_000_000

  private struct State {
    var signal: Int32?
    var cancel: (@Sendable () -> Void)?
  }

  private let state = Locked(State())

  /// Must be made before there is a second thread, for threads inherit what is blocked.
  init() {
    signal(SIGPIPE, SIG_IGN)
    var set = Self.signals
    pthread_sigmask(SIG_BLOCK, &set, nil)
    startThread()
  }

  /// The signal that has come, if any.
  var received: Int32? { state.withLock { $0.signal } }

  /// Calls `cancel` when a signal comes; at once if one has.
  func onSignal(_ cancel: @escaping @Sendable () -> Void) {
    let hasCome = state.withLock { state in
      state.cancel = cancel
      return state.signal != nil
    }
    if hasCome { cancel() }
  }

  private static var signals: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGINT)
    sigaddset(&set, SIGTERM)
    return set
  }

  private func wait() {
    var set = Self.signals
    var number: Int32 = 0
    sigwait(&set, &number)
    let cancel = state.withLock { state in
      state.signal = number
      return state.cancel
    }
    // From here on a second one ends the process the system's way.
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    cancel?()
    usleep(Self.grace)
    _exit(128 + number)
  }

  private func startThread() {
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let code = pthread_create(
      &thread, nil,
      { argument in
        #if canImport(Darwin)
          Unmanaged<Interruption>.fromOpaque(argument).takeRetainedValue().wait()
        #else
          Unmanaged<Interruption>.fromOpaque(argument!).takeRetainedValue().wait()
        #endif
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    precondition(code == 0, "the system has no thread left")
  }
}
