import ErrandCore

#if canImport(Darwin)
  public import Darwin
#elseif canImport(Musl)
  public import Musl
#else
  public import Glibc
#endif

/// Runs the work of a program until it returns, or until the process gets a signal to end. A signal cancels the work's
/// task, and with it the requests that the task waits for.
///
/// ```swift
/// try await untilSignal {
///   try await serve()
/// }
/// await outbox.close(within: .seconds(10))
/// ```
///
/// After the first signal, and after the work, signals have the effect that they had before: by default, a second one
/// ends the process at once. The function may be called again, and several calls may run at once, also one within
/// another. A signal cancels the work of every call that waits for it.
///
/// A signal also cancels the work if it was ignored before. A shell ignores SIGINT in a `program &` of a script, and
/// `kill -INT` still ends that program in order. After the call, the signal is ignored again.
///
/// Handlers that were set with `signal` or `sigaction` get no signal during the call. On Linux, a signal source of
/// Dispatch that other code makes during the call gets none afterwards; one that was made before keeps working.
/// - Parameters:
///   - signals: The numbers of the signals. Default: SIGINT (control-C) and SIGTERM.
///   - work: The work. After a signal, an error that is a cancellation is not thrown on.
/// - Returns: The number of the signal that came during the work, such as `SIGTERM`; nil if the work returned without
///   one.
/// - Throws: The error of the work. Before the work begins: an error that names the number, if it is not that of a
///   signal, or if a program cannot wait for the signal (SIGKILL, SIGSTOP, SIGPIPE, SIGPROF, and those of faults, such
///   as SIGSEGV).
@discardableResult
public func untilSignal(
  _ signals: [Int32] = [SIGINT, SIGTERM], _ work: @escaping @Sendable () async throws -> Void
) async throws -> Int32? {
  for number in signals { try UnusableSignal.check(number) }
  let end = Locked(SignalledEnd())
  let call = await ProcessSignals.shared.begin(Set(signals)) {
    let task = end.withLock { end in
      end.isSignalled = true
      return end.task
    }
    task?.cancel()
  }
  let task = Task { try await work() }
  let isLate = end.withLock { end in
    end.task = task
    return end.isSignalled
  }
  if isLate { task.cancel() }
  let result = await withTaskCancellationHandler {
    await task.result
  } onCancel: {
    task.cancel()
  }
  let signal = ProcessSignals.shared.end(call)
  if case .failure(let error) = result, signal == nil || !error.isCancellation { throw error }
  return signal
}

/// The task of the work, and whether a signal cancels it. The signal may precede the task.
private struct SignalledEnd {
  var task: Task<Void, any Error>?
  var isSignalled = false
}

/// The error for a number for which no program can wait.
struct UnusableSignal: Error, CustomStringConvertible {
  let number: Int32

  /// No program can catch the first two. The others report a fault of the running instruction, or are among those that
  /// Dispatch does not block and thus cannot observe.
  private static let unusable: Set<Int32> = [
    SIGKILL, SIGSTOP, SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGPIPE, SIGPROF,
  ]

  static func check(_ number: Int32) throws(UnusableSignal) {
    var action = sigaction()
    // The system refuses numbers without a signal, and those that the C library uses itself.
    guard number > 0, !unusable.contains(number), sigaction(number, nil, &action) == 0 else {
      throw UnusableSignal(number: number)
    }
  }

  var description: String {
    "untilSignal cannot wait for the signal \(number): the system has no such signal, or does not let a program wait "
      + "for it; pass others, such as SIGINT and SIGTERM"
  }
}
