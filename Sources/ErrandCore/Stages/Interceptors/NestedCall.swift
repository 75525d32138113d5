import Synchronization

/// A call whose interceptors run. A request that one of them sends is nested in it, and so is a request that
/// the interceptors of that request send, and so on. An interceptor that sends its requests through its own
/// client would therefore never end.
final class NestedCall: Sendable {
  /// The innermost call for whose interceptors this task works.
  @TaskLocal static var current: NestedCall?
  /// The greatest depth of calls within one another. Cancelling a call cancels the calls nested in it, one
  /// within the other, on one stack.
  static let limit = 10

  /// The call that this one is nested in; nil once this call's interceptors have finished. A finished call
  /// waits for no request, so the count begins at 1 for a task that it left behind.
  private let outer: Locked<NestedCall?>

  /// - Throws: `RequestError` (`unsupported`), if the calls that this task works for are nested too deeply
  ///   already.
  init() throws(RequestError) {
    let outer = Self.current
    var (depth, next) = (1, outer)
    while let call = next { (depth, next) = (depth + 1, call.outer.withLock { $0 }) }
    guard depth <= Self.limit else {
      throw RequestError(
        .unsupported,
        message:
          "interceptors, signers or authenticators have sent requests within requests, \(Self.limit) deep: one of them "
          + "sends a request through a client that uses it, too; send that request through a client without it",
        reachedServer: false)
    }
    self.outer = Locked(outer)
  }

  /// Runs the interceptors of the call.
  func run<Value>(_ interceptors: () async throws -> Value) async rethrows -> Value {
    defer { outer.withLock { $0 = nil } }
    return try await Self.$current.withValue(self, operation: interceptors)
  }
}

extension CallContext {
  /// Runs an app's code for the call, such as a signer, like an interceptor: in a task that can be cancelled, because
  /// it may wait for anything.
  func runInterruptibly<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws
    -> Value
  {
    watch?.take()
    defer { watch?.handOn() }
    let nested = try NestedCall()
    return try await cancellation.interrupting { try await nested.run(work) }
  }
}
