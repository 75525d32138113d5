#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The filters of one body, in the order in which its bytes pass them. Output is produced on demand, so that
/// a small input that expands to a large output takes no more memory.
struct FilterChain {
  private struct Link {
    let filter: any BodyFilter
    var hasEnded = false
  }

  private var links: [Link]
  private var hasEnded = false
  /// True once the output is complete.
  private(set) var isExhausted = false

  /// - Parameter filters: At least one filter.
  init(_ filters: [any BodyFilter]) { links = filters.map { Link(filter: $0) } }

  /// The work to do before the next call; nil without work.
  var work: (@Sendable () async throws -> Void)? {
    for link in links {
      if let work = link.filter.work { return work }
    }
    return nil
  }

  func put(_ bytes: Data) throws { try links[0].filter.put(bytes) }

  /// Ends the input.
  mutating func end() { hasEnded = true }

  /// Returns the next bytes. Returns nil if it needs more input, if work has to be done first, or at the end.
  mutating func take() throws -> Data? {
    let bytes = try take(links.count - 1)
    isExhausted = bytes == nil && work == nil && links.allSatisfy(\.hasEnded)
    return bytes
  }

  private mutating func take(_ index: Int) throws -> Data? {
    while links[index].filter.work == nil {
      if let bytes = try links[index].filter.take() { return bytes }
      if links[index].hasEnded { return nil }
      let before = index - 1
      if before >= 0, let bytes = try take(before) {
        try links[index].filter.put(bytes)
        continue
      }
      guard before >= 0 ? links[before].hasEnded && links[before].filter.work == nil : hasEnded else {
        return nil
      }
      links[index].hasEnded = true
      try links[index].filter.end()
    }
    return nil
  }
}
