#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A step in the life of a stored request.
public struct OutboxEvent: Sendable, Hashable {
  public enum Step: Sendable, Hashable {
    /// It is on disk: it was enqueued, imported, given back, or is to be tried again by hand.
    case stored
    /// The n-th try begins.
    case trying(Int)
    /// The try failed. It is tried again, not before `next`.
    case failed(reason: String, next: Date)
    /// A server accepted it.
    case delivered(OutboxAnswer)
    /// It was refused, or tried too often.
    case setAside(reason: String, answer: OutboxAnswer?)
    /// Its time was over.
    case expired
    /// It was dropped, by hand or to make room.
    case dropped(reason: String)
  }

  public let id: OutboxID
  public let lane: String?
  public let step: Step
  /// By the wall clock.
  public let date: Date

  /// How it ended, if this was its end.
  public var outcome: OutboxOutcome? {
    switch step {
    case .stored, .trying, .failed: nil
    case .delivered(let answer): .delivered(answer)
    case .setAside(let reason, let answer): .setAside(reason: reason, answer: answer)
    case .expired: .expired
    case .dropped(let reason): .dropped(reason: reason)
    }
  }
}

/// How a stored request ended.
public enum OutboxOutcome: Sendable, Hashable {
  /// A server accepted it.
  case delivered(OutboxAnswer)
  /// It was refused, or tried too often. It is still there, and can be tried again by hand.
  case setAside(reason: String, answer: OutboxAnswer?)
  /// Its time was over before it was delivered.
  case expired
  /// It was dropped, by hand or to make room.
  case dropped(reason: String)
}
