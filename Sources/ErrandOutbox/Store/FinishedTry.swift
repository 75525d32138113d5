#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// How a try ended.
public struct FinishedTry: Sendable, Hashable {
  public enum Outcome: Sendable, Hashable {
    /// A server accepted it. Its content goes.
    case delivered(answer: Data)
    /// It is tried again, but not before this time has passed.
    /// - `counts`: the try reached a server.
    /// - `wasOffline`: the way there was missing, so it is tried again as soon as there is one (`hasten`).
    case failed(reason: String, next: Duration, counts: Bool, wasOffline: Bool)
    /// It is set aside.
    case refused(reason: String, answer: Data?)
    /// It was not tried: it is as it was before it was claimed.
    case returned
  }

  public var lease: Lease
  public var outcome: Outcome
  /// The row's origin, if the store does not know it yet.
  public var origin: String?
  /// What it has told about its origin. That counts without the lease, too.
  public var news: OriginNews?

  public init(lease: Lease, outcome: Outcome, origin: String? = nil, news: OriginNews? = nil) {
    self.lease = lease
    self.outcome = outcome
    self.origin = origin
    self.news = news
  }
}

/// What became of the record of a try.
public struct Finished: Sendable, Hashable {
  /// The row as it is now, or nil if the lease had ended and the outcome means nothing any more.
  public var row: OutboxRow?
  /// Files that belong to no request any more.
  public var files: [String]

  public init(row: OutboxRow?, files: [String] = []) {
    self.row = row
    self.files = files
  }
}
