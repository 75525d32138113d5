#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A line of what a store keeps.
public struct KeptEntry: Sendable, Hashable {
  public let key: AnswerKey
  public let status: Status
  /// The URL that answered, without its secrets.
  public let url: URL
  /// When it was kept, by the wall clock.
  public let date: Date
  /// How much of the store's limit it takes, in bytes.
  public let size: Int

  public init(key: AnswerKey, status: Status, url: URL, date: Date, size: Int) {
    self.key = key
    self.status = status
    self.url = url
    self.date = date
    self.size = size
  }
}
