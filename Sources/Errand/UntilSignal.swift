import Dispatch

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
/// ends the process at once.
/// - Parameters:
///   - signals: The numbers of the signals. Default: SIGINT (control-C) and SIGTERM.
///   - work: The work. After a signal, an error that is a cancellation is not thrown on.
/// - Returns: The signal that ended the work; nil if it returned without one.
/// - Throws: The error of the work.
@discardableResult
public func untilSignal(
  _ signals: [Int32] = [SIGINT, SIGTERM], _ work: @escaping @Sendable () async throws -> Void
) async throws -> Int32? {
  let (events, continuation) = AsyncStream.makeStream(of: Int32.self)
  let before = signals.map { number in
    var action = sigaction()
    sigaction(number, nil, &action)
    return action
  }
  var sources: [any DispatchSourceSignal] = []
  for number in signals {
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler { @Sendable in continuation.yield(number) }
    // Before its registration, a signal would end the process.
    await withCheckedContinuation { registered in
      source.setRegistrationHandler { @Sendable in registered.resume() }
      source.activate()
    }
    #if canImport(Darwin)
      // Otherwise the signal would also end the process.
      signal(number, SIG_IGN)
    #endif
    sources.append(source)
  }
  let task = Task {
    defer { continuation.finish() }
    try await work()
  }
  let received = await withTaskCancellationHandler {
    await events.first { _ in true }
  } onCancel: {
    task.cancel()
  }
  for source in sources { source.cancel() }
  // Dispatch leaves its handler in place on Linux.
  for (number, action) in zip(signals, before) {
    var action = action
    sigaction(number, &action, nil)
  }
  if received != nil { task.cancel() }
  do {
    try await task.value
  } catch  where received != nil && error.isCancellation {}
  return received
}
