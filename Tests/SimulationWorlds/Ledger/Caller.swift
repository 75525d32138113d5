import ErrandCore

/// Somebody who waits for an outcome.
struct Caller: Sendable {
  enum Role: Sendable, Hashable {
    /// The call is its own: it ends no later than the call.
    case owner
    /// It waits for a call that another has started, and may leave.
    case guest
  }

  struct Leave: Sendable {
    let time: Duration
    let reason: CancellationReason
    /// True if there was no outcome yet, for sure.
    var isCertain = false
  }

  struct End: Sendable {
    let time: Duration
    let outcome: Outcome
  }

  let id: Int
  let ask: Ask
  let role: Role
  let began: Duration
  /// When and why it was called off.
  var leaves: [Leave] = []
  /// One, if all is well.
  var ends: [End] = []
  /// When the object was gone that asked, if it was.
  var gone: Duration?
  /// When the outcome was handed to its object.
  var handed: [Duration] = []
}

extension Caller: CustomStringConvertible {
  var description: String { "caller \(id)\(role == .guest ? " (guest)" : "") of \(ask)" }
}
