import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What an owner has begun to send, in a file beside its lock: so others know, when it is gone, which of its claims were on
/// their way. Nothing waits for the disk: a file outlives its process without that.
final class BegunLeases: Sendable {
  static let suffix = ".sending"

  private struct State {
    /// The places in the file, and those that may be written over.
    var places: [Int64: Int] = [:]
    var free: [Int] = []
    var file: Int32
  }

  private let path: String
  private let state: Locked<State>

  /// Without a file nobody knows what was begun.
  init(_ path: String) {
    self.path = path
    state = Locked(State(file: open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)))
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

  /// What is written of them stays until it is written over: no lease is ever given out again.
  func end(_ leases: [Int64]) {
    state.withLock { state in
      for lease in leases {
        if let place = state.places.removeValue(forKey: lease) { state.free.append(place) }
      }
    }
  }

  /// Nil if there is no file.
  func contains(_ lease: Int64) -> Bool? {
    state.withLock { $0.file < 0 ? nil : $0.places[lease] != nil }
  }

  /// Lets go of the file, which stays.
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

  /// What another owner has written there; nil if there is no file.
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
