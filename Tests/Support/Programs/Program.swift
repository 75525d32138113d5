import CPrograms
import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A program that was started, and may have ended.
///
/// Foundation's `Process` is not reliable on Linux: it considers a program running as long as any other
/// process has a copy of a certain socket. That may be a daemon that the program left behind, or a process
/// that another thread started at the same time.
package final class Program: Sendable {
  package enum End: Sendable, Hashable {
    case exited(Int32)
    case killed(by: Int32)
  }

  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
  }

  private struct State {
    var end: End?
    var waiters: [CheckedContinuation<End, Never>] = []
  }

  private let id: pid_t
  private let state = Locked(State())

  /// - Parameters:
  ///   - environment: The whole environment; nil: this process's.
  ///   - folder: The working directory; nil: this process's.
  ///   - input: The file of its standard input.
  ///   - output: The descriptor of its standard output; nil: none.
  ///   - errors: The descriptor of its standard error; nil: none.
  ///   - blocked: Signals that remain pending until the program accepts them, even before it has started
  ///     to.
  package init(
    _ path: String, _ arguments: [String], environment: [String: String]? = nil, in folder: String? = nil,
    input: String = "/dev/null", output: Int32? = nil, errors: Int32? = nil, blocked: [Int32] = []
  ) throws {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
    for (own, given) in [(Int32(1), output), (2, errors)] {
      if let given {
        posix_spawn_file_actions_adddup2(&actions, given, own)
      } else {
        posix_spawn_file_actions_addopen(&actions, own, "/dev/null", O_WRONLY, 0)
      }
    }
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The program gets every other signal, even if the starting thread blocks it or this process ignores it.
    var (mask, all) = (sigset_t(), sigset_t())
    sigemptyset(&mask)
    for signal in blocked { sigaddset(&mask, signal) }
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setsigdefault(&attributes, &all)
    var flags = Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
    if let folder { errand_spawn_in(&actions, folder) }
    errand_spawn_closes_others(&actions, &flags)
    posix_spawnattr_setflags(&attributes, flags)
    var words = ([path] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { $0.map { strdup("\($0)=\($1)") } + [nil] } ?? []
    defer { for word in words + variables { free(word) } }
    var id: pid_t = 0
    let code =
      environment == nil
      ? posix_spawn(&id, path, &actions, &attributes, &words, environ)
      : posix_spawn(&id, path, &actions, &attributes, &words, &variables)
    guard code == 0 else {
      throw Failure(description: "\(path) cannot be started: \(String(cString: strerror(code)))")
    }
    self.id = id
    guard SystemThread.start({ self.watch() }) else {
      kill(id, SIGKILL)
      throw Failure(description: "\(path) cannot be watched: no thread can be created")
    }
  }

  private func watch() {
    var information = siginfo_t()
    while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    let (end, waiters) = state.withLock { state in
      var status: Int32 = 0
      // After this its ID may belong to another process.
      while waitpid(id, &status, 0) < 0, errno == EINTR {}
      let end: End = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(by: status & 0x7F)
      state.end = end
      defer { state.waiters = [] }
      return (end, state.waiters)
    }
    for waiter in waiters { waiter.resume(returning: end) }
  }

  /// The ID of its process.
  package var number: Int { Int(id) }

  package var isRunning: Bool { state.withLock { $0.end == nil } }

  /// Sends a signal; does nothing once the program has ended.
  package func send(_ signal: Int32) {
    state.withLock { state in
      if state.end == nil { kill(id, signal) }
    }
  }

  /// Stops the program (SIGSTOP), and returns when it no longer runs; SIGCONT lets it continue.
  package func stop() {
    send(SIGSTOP)
    var info = siginfo_t()
    while waitid(P_PID, id_t(id), &info, WSTOPPED | WEXITED | WNOWAIT) != 0, errno == EINTR {}
  }

  /// Returns when the program has ended.
  package func end() async -> End {
    await withCheckedContinuation { continuation in
      let end = state.withLock { state in
        if state.end == nil { state.waiters.append(continuation) }
        return state.end
      }
      if let end { continuation.resume(returning: end) }
    }
  }
}
