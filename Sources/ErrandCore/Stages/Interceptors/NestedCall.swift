import Synchronization

/// A call whose interceptors run. A request that one of them sends is nested in it, and so is a request that
/// the interceptors of that one send, and so on: an interceptor that sends its requests through its own client
/// would never come to an end.
package final class NestedCall: Sendable {
  /// The innermost call for whose interceptors this task works.
  @TaskLocal package static var current: NestedCall?
  /// The greatest number of calls within one another. Cancelling a call cancels those that are nested in it,
  /// one within the other, on one stack.
  package static let limit = 10

  /// The call that this one is nested in, as long as its own interceptors run: one that has finished waits for no
  /// request, so a task that it left behind begins anew.
  private let outer: Locked<NestedCall?>

  /// - Throws: `RequestError` (`unsupported`), if the calls that this task works for are too many already.
  package init() throws(RequestError) {
    let outer = Self.current
    var (depth, next) = (1, outer)
    while let call = next { (depth, next) = (depth + 1, call.outer.withLock { $0 }) }
    guard depth <= Self.limit else {
      throw RequestError(
        .unsupported,
        message:
          "interceptors, signers or authenticators have sent requests within requests, \(Self.limit) deep: one of them "
          + "sends its request through a client that has it, too; send it through a client without it",
        reachedServer: false)
    }
    self.outer = Locked(outer)
  }

  /// Runs the interceptors of the call.
  package func run<Value>(_ interceptors: () async throws -> Value) async rethrows -> Value {
    defer { outer.withLock { $0 = nil } }
    return try await Self.$current.withValue(self, operation: interceptors)
  }
}
