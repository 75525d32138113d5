/// Decides for one call what is delivered: what is kept, what the network says, or both. Pure: the age of what is kept and
/// the outcome of the network come in, the next step goes out.
struct KeptState: Sendable {
  enum Step: Sendable, Hashable {
    /// Look what is kept, then call `found`.
    case read
    /// Ask the network: keep and deliver its answer, or call `failed`.
    case ask
    /// Deliver what is kept, and be done.
    case deliverKept
    /// Deliver what is kept, and ask the network meanwhile.
    case deliverKeptAndAsk
    /// Deliver the network's error.
    case fail
  }

  private let policy: KeepPolicy
  private var hasFailed = false

  init(_ policy: KeepPolicy) { self.policy = policy }

  func begin() -> Step {
    switch policy.kind {
    case .networkOnly, .onFailure: .ask
    case .first, .thenRefreshed, .youngerThan: .read
    }
  }

  /// - Parameter age: Of what is kept, below zero if it is dated in the future; nil if nothing is kept.
  func found(age: Duration?) -> Step {
    guard let age else { return hasFailed ? .fail : .ask }
    return switch policy.kind {
    case .networkOnly: .ask
    case .first, .onFailure: .deliverKept
    case .thenRefreshed: .deliverKeptAndAsk
    case .youngerThan(let limit): age >= .zero && age < limit ? .deliverKept : .ask
    }
  }

  mutating func failed(_ error: any Error) -> Step {
    hasFailed = true
    return policy.kind == .onFailure && error.isServerOutOfReach ? .read : .fail
  }
}
