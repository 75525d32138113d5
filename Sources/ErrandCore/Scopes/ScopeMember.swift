/// Something in a scope that can be called off.
enum ScopeMember: Sendable {
  // A call is stored as it is: no closure is made for it.
  case call(StopSignal)
  case action(@Sendable () -> Void)

  /// Returns what is left to do, once all that end with it have been called off.
  func callOff(_ reason: CancellationReason) -> [@Sendable () -> Void] {
    switch self {
    case .call(let signal): signal.prepareStop(.cancelled(reason))
    case .action(let run): [run]
    }
  }
}
