#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// How an attempt ended. The dispatcher decides it with the response as a value, and a store records it with
/// the response as bytes.
public enum AttemptOutcome<Response: Sendable & Hashable>: Sendable, Hashable {
  /// A server accepted the request. Its content is removed.
  case delivered(response: Response)
  /// The request is sent again, but not before this time has passed.
  /// - `counts`: True if the attempt counts towards `DeliveryPolicy.maxAttempts`, because it reached a
  ///   server.
  /// - `wasOffline`: True if no connection could be made. The request is due as soon as there is a network
  ///   (`OutboxStore.rescheduleOffline`).
  case failed(reason: String, next: Duration, counts: Bool, wasOffline: Bool)
  /// The request is moved to the dead letters.
  case rejected(reason: String, response: Response?)
  /// The request was not sent: its row returns to its state before the claim.
  case returned

  /// Returns the same outcome with the response in another form.
  func map<Other>(_ form: (Response) -> Other) -> AttemptOutcome<Other> {
    switch self {
    case .delivered(let response): .delivered(response: form(response))
    case .failed(let reason, let next, let counts, let wasOffline):
      .failed(reason: reason, next: next, counts: counts, wasOffline: wasOffline)
    case .rejected(let reason, let response): .rejected(reason: reason, response: response.map(form))
    case .returned: .returned
    }
  }

  /// Delays a failed request beyond the hold of its origin. Otherwise the same request would be the next
  /// probe again, and requests that may be accepted would never be attempted.
  mutating func wait(longerThan hold: Duration) {
    guard case .failed(let reason, let next, let counts, let wasOffline) = self else { return }
    let longer = hold + max(.milliseconds(20), min(hold / 8, .seconds(1)))
    self = .failed(reason: reason, next: max(next, longer), counts: counts, wasOffline: wasOffline)
  }
}

/// The end of one attempt, for the store to record.
public struct FinishedAttempt: Sendable, Hashable {
  public typealias Outcome = AttemptOutcome<Data>

  public var lease: Lease
  public var outcome: Outcome
  /// The row's origin, if the store does not know it yet.
  public var origin: String?
  /// The change of the origin that the attempt caused. It counts even if the lease has ended.
  public var news: OriginNews?

  public init(lease: Lease, outcome: Outcome, origin: String? = nil, news: OriginNews? = nil) {
    self.lease = lease
    self.outcome = outcome
    self.origin = origin
    self.news = news
  }
}

/// The result of recording an attempt.
public struct Finished: Sendable, Hashable {
  /// The present row; nil if the lease had ended, so that the outcome does not count.
  public var row: OutboxRow?
  /// The files that belong to no request any more.
  public var files: [String]

  public init(row: OutboxRow?, files: [String] = []) {
    self.row = row
    self.files = files
  }
}

/// A change of an origin that an attempt caused.
public struct OriginNews: Sendable, Hashable {
  public enum Change: Sendable, Hashable {
    /// No more rows of the origin are claimed for this long.
    case hold(OriginHold.Kind, reason: String, for: Duration)
    /// The origin's hold ends.
    case release
  }

  public var origin: String
  public var change: Change
  /// The origin as it may be shown while it is held. May be encrypted.
  public var label: Data

  public init(origin: String, change: Change, label: Data = Data()) {
    self.origin = origin
    self.change = change
    self.label = label
  }
}
