import ErrandCore
import ErrandOutbox
import Foundation

/// A blob store in memory: the smallest store that conforms.
final class MemoryBlobs: BlobStore {
  private struct State {
    var blobs: [String: Data] = [:]
    var held: Set<String> = []
    var values: [String: Data] = [:]
  }

  private final class Hold: Sendable {
    private let names: [String]
    private let blobs: MemoryBlobs

    init(_ names: [String], _ blobs: MemoryBlobs) { (self.names, self.blobs) = (names, blobs) }

    deinit { blobs.state.withLock { $0.held.subtract(names) } }
  }

  private let state = Locked(State())
  /// The number of calls, from now on, during which the store is unavailable.
  let absences = Locked(0)

  let location = "memory"

  var count: Int { state.withLock { $0.blobs.count } }

  func put(_ sources: [BlobSource]) async throws -> [StoredBlob] {
    var stored: [String: Data] = [:]
    var sizes: [(name: String, size: Int64)] = []
    for source in sources {
      var reader = try source.open()
      var data = Data()
      while let piece = try reader.next() { data += piece }
      sizes.append((UUID().uuidString, reader.size))
      stored[sizes[sizes.count - 1].name] = data
    }
    let hold = Hold(sizes.map(\.name), self)
    state.withLock { [stored] state in
      state.blobs.merge(stored) { $1 }
      state.held.formUnion(stored.keys)
    }
    return sizes.map { StoredBlob(name: $0.name, size: $0.size, hold: hold) }
  }

  func open(_ name: String, size: Int64) throws -> any BodyReader {
    try check(name, size: size)
    return try SegmentReader([.bytes(state.withLock { $0.blobs[name] } ?? Data())])
  }

  func check(_ name: String, size: Int64) throws {
    let isAway = absences.withLock { count in
      defer { count = max(0, count - 1) }
      return count > 0
    }
    if isAway { throw OutboxError(.failed, "the store is unavailable") }
    guard state.withLock({ $0.blobs[name].map { Int64($0.count) } }) == size else {
      throw OutboxError(.damaged, "\(name) does not exist")
    }
  }

  func removeAll() async { state.withLock { $0.blobs = [:] } }

  func remove(_ names: [String]) async {
    state.withLock { for name in names { $0.blobs[name] = nil } }
  }

  func sweep(used: ([String]) async throws -> Set<String>) async throws -> [String] {
    let loose = state.withLock { state in state.blobs.keys.filter { !state.held.contains($0) } }
    let known = try await used(loose)
    let gone = loose.filter { !known.contains($0) }
    await remove(gone)
    return gone
  }

  func value(_ name: String) async throws -> Data? { state.withLock { $0.values[name] } }

  func setValue(_ data: Data, _ name: String) async throws {
    state.withLock { if $0.values[name] == nil { $0.values[name] = data } }
  }
}
