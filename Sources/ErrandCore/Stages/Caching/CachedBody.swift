import CZlib
import Dispatch

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The body of a cached response: in memory, or a part of an open file, which takes no memory.
package struct CachedBody: Sendable, Hashable {
  private enum Place: Sendable {
    case memory(Data)
    case file(FileDescriptor, start: Int64)
  }

  private let place: Place
  /// The number of bytes.
  package let count: Int64

  package init(_ data: Data) {
    place = .memory(data)
    count = Int64(data.count)
  }

  /// - Parameter start: The position of the first byte in the file. The bytes must not change.
  init(_ file: FileDescriptor, start: Int64, count: Int64) {
    place = .file(file, start: start)
    self.count = count
  }

  /// The bytes; nil if they are in a file.
  package var inMemory: Data? {
    if case .memory(let data) = place { data } else { nil }
  }

  /// Returns a part of the body.
  /// - Parameter range: Positions in the body.
  func part(_ range: Range<Int64>) -> CachedBody {
    switch place {
    case .memory(let data):
      let first = data.startIndex + Int(range.lowerBound)
      return CachedBody(data[first..<first + range.count])
    case .file(let file, let start):
      return CachedBody(file, start: start + range.lowerBound, count: Int64(range.count))
    }
  }

  /// Calls `take` with each piece of the body, in order. Blocks while it reads a file.
  func forEachPiece(_ take: (Data) throws -> Void) throws {
    switch place {
    case .memory(let data): if !data.isEmpty { try take(data) }
    case .file:
      var offset: Int64 = 0
      while offset < count {
        let piece = try piece(at: offset)
        try take(piece)
        offset += Int64(piece.count)
      }
    }
  }

  /// The most bytes of a file that are read at a time.
  private static let pieceSize = 256 << 10

  /// Returns a piece of the body that begins at a position. Blocks while it reads a file.
  func piece(at offset: Int64) throws -> Data {
    switch place {
    case .memory(let data): return data.dropFirst(Int(offset))
    case .file(let file, let start):
      let data = try file.read(Int(min(Int64(Self.pieceSize), count - offset)), at: start + offset)
      guard !data.isEmpty else { throw FileError(.read, file.path, "it was truncated") }
      return data
    }
  }

  /// Returns all bytes. Blocks while it reads a file.
  func loaded() throws -> Data {
    if let inMemory { return inMemory }
    var data = Data(capacity: Int(count))
    try forEachPiece { data.append($0) }
    return data
  }

  /// Returns all bytes. A file is read on a dedicated thread.
  func load() async throws -> Data {
    if let inMemory { return inMemory }
    return try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "errand.cache.load").async {
        continuation.resume(with: Result { try self.loaded() })
      }
    }
  }

  /// Compares bytes in memory; a file's bytes equal only themselves.
  package static func == (left: CachedBody, right: CachedBody) -> Bool {
    switch (left.place, right.place) {
    case (.memory(let one), .memory(let other)): one == other
    case (.file(let one, let start), .file(let other, let otherStart)):
      one === other && start == otherStart && left.count == right.count
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    if let inMemory { hasher.combine(inMemory) }
  }
}

/// A CRC-32 (RFC 1952), which detects damage, but no intent.
struct Checksum: Sendable, Hashable {
  private(set) var value: UInt32 = 0

  init() {}

  init(of data: Data) { update(data) }

  mutating func update(_ data: Data) {
    value = unsafe data.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return value }
      let all = unsafe start.assumingMemoryBound(to: UInt8.self)
      return UInt32(truncatingIfNeeded: unsafe crc32_z(UInt(value), all, bytes.count))
    }
  }
}

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
