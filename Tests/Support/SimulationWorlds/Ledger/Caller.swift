import ErrandCore

/// A task that waits for an outcome.
struct Caller: Sendable {
  enum Role: Sendable, Hashable {
    /// The caller started the call, and waits until the call ends.
    case owner
    /// The caller waits for a call that another has started, and may stop waiting.
    case guest
  }

  struct Leave: Sendable {
    let time: Duration
    let reason: CancellationReason
    /// True if there was certainly no outcome yet.
    var isCertain = false
  }

  struct End: Sendable {
    let time: Duration
    let outcome: Outcome
    /// The position among all beginnings and ends.
    let order: Int
  }

  let id: Int
  let ask: Ask
  let role: Role
  let began: Duration
  /// The position of the beginning among all beginnings and ends.
  let order: Int
  /// The time of the caller's cancellation, and its reason.
  var leaves: [Leave] = []
  /// The outcomes: one, unless there is a defect.
  var ends: [End] = []
  /// The time at which the object that sent the request was deallocated, if it was.
  var gone: Duration?
  /// The time at which the outcome was handed to its object.
  var handed: [Duration] = []
}

extension Caller: CustomStringConvertible {
  var description: String { "caller \(id)\(role == .guest ? " (guest)" : "") of \(ask)" }
}
