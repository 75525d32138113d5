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
/// A second signal ends the process at once, as without this function.
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
  let sources = signals.map { number in
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler { @Sendable in continuation.yield(number) }
    source.activate()
    #if canImport(Darwin)
      // Otherwise the signal would also end the process.
      signal(number, SIG_IGN)
    #endif
    return source
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
  #if canImport(Darwin)
    for number in signals { signal(number, SIG_DFL) }
  #endif
  if received != nil { task.cancel() }
  do {
    try await task.value
  } catch  where received != nil && error.isCancellation {}
  return received
}
