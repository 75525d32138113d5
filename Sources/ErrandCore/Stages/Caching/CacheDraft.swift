#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A response that is written to a store while its body arrives.
package protocol CacheDraft: Sendable {
  /// Takes the bytes of the body.
  var sink: any BodySink { get }
  /// Puts the response into the store, because its body is complete.
  func commit() async throws
  /// Forgets the response.
  func abandon()
}

/// A store that takes bodies in pieces. Other stores get a body that was collected in memory.
package protocol DraftingCache: ResponseCache {
  /// The maximum size of one response, in bytes.
  var largestResponse: Int { get }

  /// Begins to cache a response whose body arrives in pieces. Opens a file, which takes a moment.
  /// - Parameter response: The response with an empty body.
  func draft(_ response: CachedResponse, under key: CacheKey) throws -> any CacheDraft
}

/// Collects a body in memory, for a store that takes it at once.
final class CollectedDraft: CacheDraft, BodySink {
  private let response: CachedResponse
  private let key: CacheKey
  private let store: any ResponseCache
  private let limit: Int
  /// Nil once the body is too large, or the response was abandoned.
  private let collected = Locked<Data?>(Data())

  /// - Parameter limit: The most bytes to collect. A larger body is not cached.
  init(_ response: CachedResponse, under key: CacheKey, in store: any ResponseCache, limit: Int) {
    self.response = response
    self.key = key
    self.store = store
    self.limit = limit
  }

  var sink: any BodySink { self }

  func write(_ chunk: Data) -> SinkSignal {
    // Returned, so that no large body is freed under the lock.
    let dropped: Data? = collected.withLock { data in
      guard let count = data?.count else { return nil }
      guard count + chunk.count <= limit else { return data.take() }
      data?.append(chunk)
      return nil
    }
    withExtendedLifetime(dropped) {}
    return .more
  }

  func onDrain(_ handler: @escaping @Sendable () -> Void) {}

  func commit() async throws {
    guard let data = collected.withLock({ $0.take() }) else { return }
    try await store.write(response.with(CachedBody(data)), under: key)
  }

  func abandon() { _ = collected.withLock { $0.take() } }
}

/// Passes a body on to its reader, and to a store. It waits for the slower of both.
final class TeeSink: CountedSink {
  private enum Side { case reader, store }

  private struct State {
    /// The sinks that accept no more for now.
    var full: Set<Side> = []
    /// The store's sink; nil once it has failed.
    var store: (any BodySink)?
    var drained: (@Sendable () -> Void)?
  }

  private let reader: any CountedSink
  private let state: Locked<State>
  private let onFailure: @Sendable () -> Void

  /// - Parameter onFailure: Called when the store cannot take the body. The reader still gets it.
  init(_ reader: any CountedSink, _ store: any BodySink, onFailure: @escaping @Sendable () -> Void) {
    self.reader = reader
    self.onFailure = onFailure
    state = Locked(State(store: store))
    store.onDrain { [weak self] in self?.drained(.store) }
  }

  var received: Int64 { reader.received }

  func write(_ chunk: Data) throws -> SinkSignal {
    // Marked before the write, because a sink may drain before its write returns.
    let store = state.withLock { state in
      state.full = state.store == nil ? [.reader] : [.reader, .store]
      return state.store
    }
    if try reader.write(chunk) == .more { unmark(.reader) }
    if let store {
      do {
        if try store.write(chunk) == .more { unmark(.store) }
      } catch {
        state.withLock { state in
          state.store = nil
          state.full.remove(.store)
        }
        onFailure()
      }
    }
    return state.withLock { $0.full.isEmpty } ? .more : .wait
  }

  func onDrain(_ handler: @escaping @Sendable () -> Void) {
    state.withLock { $0.drained = handler }
    reader.onDrain { [weak self] in self?.drained(.reader) }
  }

  private func unmark(_ side: Side) { state.withLock { _ = $0.full.remove(side) } }

  private func drained(_ side: Side) {
    let handler: (@Sendable () -> Void)? = state.withLock { state in
      state.full.remove(side)
      return state.full.isEmpty ? state.drained : nil
    }
    handler?()
  }
}
