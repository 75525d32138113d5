#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A step in the life of a stored request.
public struct OutboxEvent: Sendable, Hashable {
  /// The change that an event reports.
  public enum Step: Sendable, Hashable {
    /// The request is stored: it was enqueued, imported, given back, or is to be retried by hand.
    case stored
    /// The n-th attempt begins.
    case attempting(Int)
    /// The attempt failed. The next one does not begin before `next`.
    case failed(reason: String, next: Date)
    /// A server accepted the request.
    case delivered(OutboxResponse)
    /// The request was rejected, or it used up its attempts.
    case deadLettered(reason: String, response: OutboxResponse?)
    /// The request expired before it was delivered.
    case expired
    /// The request was dropped, by hand or to make room.
    case dropped(reason: String)
  }

  /// The request that changed.
  public let id: OutboxID
  /// The request's lane; nil if it has no lane.
  public let lane: String?
  /// The change.
  public let step: Step
  /// When the change happened, by the wall clock.
  public let date: Date

  /// The outcome, if this step ended the request.
  package var outcome: OutboxOutcome? {
    switch step {
    case .stored, .attempting, .failed: nil
    case .delivered(let response): .delivered(response)
    case .deadLettered(let reason, let response): .deadLettered(reason: reason, response: response)
    case .expired: .expired
    case .dropped(let reason): .dropped(reason: reason)
    }
  }
}

/// How a stored request ended.
public enum OutboxOutcome: Sendable, Hashable {
  /// A server accepted the request.
  case delivered(OutboxResponse)
  /// The request was rejected, or it used up its attempts. It is still stored, and can be retried by hand.
  case deadLettered(reason: String, response: OutboxResponse?)
  /// The request expired before it was delivered.
  case expired
  /// The request was dropped, by hand or to make room.
  case dropped(reason: String)
}

extension OutboxEntry {
  /// The step that led to this state.
  var event: OutboxEvent {
    let step: OutboxEvent.Step =
      switch state {
      case .stored:
        if let reason, let nextAttempt { .failed(reason: reason, next: nextAttempt) } else { .stored }
      case .attempting: .attempting(attempts)
      case .delivered: .delivered(response ?? .unknown)
      case .deadLettered: .deadLettered(reason: reason ?? "", response: response)
      case .expired: .expired
      case .dropped: .dropped(reason: reason ?? "")
      }
    return OutboxEvent(id: id, lane: lane, step: step, date: changed)
  }
}
