#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The URLs that unsafe requests have changed: a response that was requested before is not stored after, and one that is
/// stored is validated, whichever user's it is.
final class ChangeLog: Sendable {
  private struct Change {
    let number: Int
    let date: Date
    /// The keys of the responses that were stored after the change at the same moment, as a clock of tests allows.
    var newer: Set<CacheKey> = []
  }

  private struct State {
    var last = 0
    var changes: [String: Change] = [:]
    /// When the responses were requested that are being stored.
    var writes: [CacheKey: [Int]] = [:]
    /// The change that counts for all other URLs.
    var floor: Change?
  }

  /// The number of remembered changes. When it is reached, all are forgotten, and every URL counts as changed.
  private static let mostChanges = 1000

  private let state = Locked(State())

  /// The present moment, for `isChanged(_:since:)`.
  var now: Int { state.withLock { $0.last } }

  /// Notes a change. Call it before the stored responses of the URL are removed.
  /// - Parameter name: The name in the keys of the URL's responses.
  func note(_ name: String, at date: Date) {
    state.withLock { state in
      state.last += 1
      let change = Change(number: state.last, date: date)
      if state.changes.count >= Self.mostChanges {
        state.changes = [:]
        state.floor = change
      }
      state.changes[name] = change
    }
  }

  /// Returns true if the URL has changed since a moment.
  func isChanged(_ name: String, since moment: Int) -> Bool {
    state.withLock { max($0.floor?.number ?? 0, $0.changes[name]?.number ?? 0) > moment }
  }

  /// Stores a response, unless its URL has changed since it was requested. Until that is certain, no request may use it.
  /// - Parameters:
  ///   - begun: When the response was requested.
  ///   - write: Stores the response. Returns false if it could not.
  ///   - remove: Removes it, because the URL has changed meanwhile.
  /// - Returns: True if the response is stored.
  func store(
    _ key: CacheKey, requestedAt begun: Int, at date: Date, write: () async throws -> Bool,
    remove: () async throws -> Void
  ) async rethrows -> Bool {
    if isChanged(key.name, since: begun) { return false }
    state.withLock { $0.writes[key, default: []].append(begun) }
    defer {
      state.withLock { state in
        if let index = state.writes[key]?.firstIndex(of: begun) { state.writes[key]?.remove(at: index) }
        if state.writes[key]?.isEmpty == true { state.writes[key] = nil }
      }
    }
    guard try await write() else { return false }
    if isChanged(key.name, since: begun) {
      try await remove()
      return false
    }
    noteWrite(under: key, at: date)
    return true
  }

  private func noteWrite(under key: CacheKey, at date: Date) {
    state.withLock { state in
      if state.last == 0 { return }
      if state.floor?.date == date { state.floor?.newer.insert(key) }
      if state.changes[key.name]?.date == date { state.changes[key.name]?.newer.insert(key) }
    }
  }

  /// Returns true if the URL of a stored response has changed since the response was stored.
  func isChanged(_ key: CacheKey, after date: Date) -> Bool {
    state.withLock { state in
      if state.last == 0 { return false }
      let writes = state.writes[key] ?? []
      return [state.floor, state.changes[key.name]].compactMap(\.self).contains { change in
        change.date > date || (change.date == date && !change.newer.contains(key))
          || writes.contains { $0 < change.number }
      }
    }
  }
}
