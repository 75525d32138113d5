#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// How an attempt ended.
public struct FinishedAttempt: Sendable, Hashable {
  public enum Outcome: Sendable, Hashable {
    /// A server accepted the request. Its content is removed.
    case delivered(response: Data)
    /// The request is sent again, but not before this time has passed.
    /// - `counts`: the attempt reached a server.
    /// - `wasOffline`: no connection could be made, so the request is due as soon as there is a network
    ///   (`rescheduleOffline`).
    case failed(reason: String, next: Duration, counts: Bool, wasOffline: Bool)
    /// The request is moved to the dead letters.
    case refused(reason: String, response: Data?)
    /// The request was not sent: its row becomes what it was before the claim.
    case returned
  }

  public var lease: Lease
  public var outcome: Outcome
  /// The row's origin, if the store does not know it yet.
  public var origin: String?
  /// The news of the origin that the attempt brought. It counts even if the lease has ended.
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
  /// The row as it is now, or nil if the lease had ended and the outcome does not count any more.
  public var row: OutboxRow?
  /// Files that belong to no request any more.
  public var files: [String]

  public init(row: OutboxRow?, files: [String] = []) {
    self.row = row
    self.files = files
  }
}
