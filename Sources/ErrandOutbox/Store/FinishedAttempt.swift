#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// How an attempt ended. The dispatcher decides it with the response as a value, and a store records it with
/// the response as bytes.
package enum AttemptOutcome<Response: Sendable & Hashable>: Sendable, Hashable {
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
package struct FinishedAttempt: Sendable, Hashable {
  package typealias Outcome = AttemptOutcome<Data>

  package var lease: Lease
  package var outcome: Outcome
  /// The row's origin, if the store does not know it yet.
  package var origin: String?
  /// The change of the origin that the attempt caused. It counts even if the lease has ended.
  package var news: OriginNews?
  /// True if the store may have an upload of the row (`OutboxStore.keep`), which a delivered row does not need.
  package var hasUpload = false

  package init(lease: Lease, outcome: Outcome, origin: String? = nil, news: OriginNews? = nil) {
    self.lease = lease
    self.outcome = outcome
    self.origin = origin
    self.news = news
  }
}

/// The result of recording an attempt.
package struct Finished: Sendable, Hashable {
  /// The present row; nil if the lease had ended, so that the outcome does not count.
  package var row: OutboxRow?
  /// The files that belong to no request any more.
  package var files: [String]

  package init(row: OutboxRow?, files: [String] = []) {
    self.row = row
    self.files = files
  }
}

/// A change of an origin that an attempt caused.
package struct OriginNews: Sendable, Hashable {
  package enum Change: Sendable, Hashable {
    /// No more rows of the origin are claimed for this long.
    case hold(OriginHold.Kind, reason: String, for: Duration)
    /// The origin's hold ends.
    case release
  }

  package var origin: String
  package var change: Change
  /// The origin as it may be shown while it is held. May be encrypted.
  package var label: Data

  package init(origin: String, change: Change, label: Data = Data()) {
    self.origin = origin
    self.change = change
    self.label = label
  }
}
