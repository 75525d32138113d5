/// The spans of one call that are open.
final class CallTrace: Sendable {
  /// The span of the call, and what it is a part of.
  let context: TraceContext
  let parent: TraceContext?
  let link: TraceContext?
  private let attempt = Locked<TraceContext?>(nil)

  /// Begins the span of a call.
  /// - Parameter link: The span in which the request was stored that the call delivers.
  init(_ tracing: Tracing, named name: String, link: TraceContext?) {
    parent = TraceContext.current
    self.link = link
    context = tracing.tracer.begin(.internal, named: name, in: parent)
  }

  func begin(_ context: TraceContext) { attempt.withLock { $0 = context } }

  /// Returns the span of the attempt that has begun, once.
  func takeAttempt() -> TraceContext? {
    attempt.withLock { attempt in
      defer { attempt = nil }
      return attempt
    }
  }
}
