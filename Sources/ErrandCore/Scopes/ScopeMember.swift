/// A member of a scope, which can be cancelled.
enum ScopeMember: Sendable {
  // A call is stored directly, so that it needs no closure.
  case call(CancellationToken)
  case action(@Sendable () -> Void)

  /// Cancels the member. Returns the handlers to call once all members that end with it have been cancelled.
  func cancel(_ reason: CancellationReason) -> [@Sendable () -> Void] {
    switch self {
    case .call(let cancellation): cancellation.prepareCancel(.cancelled(reason))
    case .action(let context): [context]
    }
  }
}
