import ErrandCore
import ErrandOutbox

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The leases whose requests an owner has begun to send, in a file beside its lock. When the owner is gone,
/// other owners read in it which of its requests had been sent. The file is not flushed, because it outlives
/// its process without that.
final class BegunLeases: Sendable {
  static let suffix = ".sending"

  private struct State {
    /// The place of each lease in the file, and the places that may be overwritten.
    var places: [Int64: Int] = [:]
    var free: [Int] = []
    var file: Int32
  }

  private let path: String
  private let state: Locked<State>

  /// Creates the file. If that fails, begun leases are not known.
  init(_ path: String, in folder: String) {
    self.path = path
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    // Takes the first disk block of the file now, because the disk may be full later. No lease is zero.
    var none: Int64 = 0
    if file >= 0 {
      _ = pwrite(file, &none, 8, 0)
      FolderOwner.adopt(file, in: folder)
    }
    state = Locked(State(file: file))
  }

  deinit { letGo() }

  func begin(_ leases: [Int64]) {
    let isWritten = state.withLock { state in
      guard state.file >= 0 else { return true }
      for lease in leases where state.places[lease] == nil {
        let place = state.free.popLast() ?? state.places.count
        state.places[lease] = place
        var lease = lease.littleEndian
        guard pwrite(state.file, &lease, 8, off_t(place * 8)) == 8 else { return false }
      }
      return true
    }
    if !isWritten { remove() }
  }

  /// Makes the places of these leases reusable. The leases stay in the file until they are overwritten, which
  /// is harmless because no lease number is used twice.
  func end(_ leases: [Int64]) {
    state.withLock { state in
      for lease in leases {
        if let place = state.places.removeValue(forKey: lease) { state.free.append(place) }
      }
    }
  }

  /// Returns true if this owner began to send the request with a lease; nil if the file does not exist.
  func contains(_ lease: Int64) -> Bool? {
    state.withLock { $0.file < 0 ? nil : $0.places[lease] != nil }
  }

  /// Closes the file, without deleting it.
  func letGo() {
    let file = state.withLock { state in
      defer { state.file = -1 }
      return state.file
    }
    if file >= 0 { _ = close(file) }
  }

  func remove() {
    unlink(path)
    letGo()
  }

  /// Returns the leases in another owner's file; nil if the file does not exist.
  static func read(_ path: String) -> Set<Int64>? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { _ = close(file) }
    var found: Set<Int64> = []
    var buffer = [Int64](repeating: 0, count: 512)
    var offset: off_t = 0
    while true {
      let count = buffer.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, offset) }
      guard count >= 8 else { return count < 0 ? nil : found }
      found.formUnion(buffer[..<(count / 8)].map(Int64.init(littleEndian:)))
      offset += off_t(count / 8 * 8)
    }
  }
}
