import ErrandOutbox

/// Tells from readings of an outbox's statistics whether it delivers. Pure.
struct DeliveryHealth: Sendable {
  enum State: String, Encodable, Sendable {
    /// Requests are being attempted, or were a moment ago.
    case delivering
    /// Requests could be attempted for a moment, and no attempt was seen yet.
    case unseen
    /// No request waits.
    case idle
    /// Requests wait for the times of their next attempts.
    case waiting
    /// No request can be attempted before an operator does something.
    case held
    /// Requests wait, and origins receive none for a while.
    case origins
    case paused
    /// Requests could be attempted, but no process attempts them.
    case nobody
  }

  /// How long requests may be ready without an attempt, in milliseconds. A process that delivers learns of a new
  /// request at once.
  static let patience = 10_000.0

  /// When the requests became ready without an attempt: milliseconds since 1970.
  private var readySince: Double?
  /// When the last attempt was seen: milliseconds since 1970.
  private var lastAttempt: Double?

  /// - Parameters:
  ///   - heldOrigins: The number of origins that receive no requests for a while.
  ///   - delivers: True if this process delivers. It may have a rate limit that lets few requests go.
  ///   - now: Milliseconds since 1970.
  mutating func take(
    _ statistics: OutboxStatistics, heldOrigins: Int = 0, delivers: Bool = false, at now: Double
  )
    -> State
  {
    let stored = statistics.counts[.stored, default: 0]
    let state: State =
      if statistics.isPaused { .paused } else if statistics.counts[.attempting, default: 0] > 0 {
        .delivering
      } else if stored == 0 { .idle } else if statistics.isHeld { .held } else if statistics.nextDue != nil {
        heldOrigins > 0 ? .origins : .waiting
      } else { .nobody }
    if state == .delivering { lastAttempt = now }
    guard state == .nobody else {
      readySince = nil
      return state
    }
    let since = readySince ?? now
    readySince = since
    if now - since >= Self.patience, !delivers { return .nobody }
    return lastAttempt.map { now - $0 < Self.patience } ?? false ? .delivering : .unseen
  }

  /// The state as a sentence.
  static func text(_ state: State) -> String {
    switch state {
    case .delivering: "Delivery works."
    case .unseen: "Requests are due, and no attempt was seen in the last seconds."
    case .idle: "No request waits."
    case .waiting: "Requests wait for their next attempts."
    case .origins: "Requests wait, because origins are held. See Origins and keys."
    case .held: "No request can be attempted: their lanes are paused, or wait behind dead letters."
    case .paused: "Delivery is paused."
    case .nobody: "Nobody delivers: requests are due, but no process attempts them."
    }
  }
}
