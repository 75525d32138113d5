import ErrandCore
import ErrandCrypto

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads a file of the outbox, and compares it with the digest in its name. The last bytes are returned only
/// after the check, so a server never receives a changed file completely.
final class StoredFileReader: BodyReader {
  private struct State: ~Copyable {
    var hash: SHA256Hash? = SHA256Hash()
    var position: Int64 = 0
  }

  private let path: String
  private let digest: String
  private let reader: SegmentReader
  private let expected: Int64
  // Safe to share: a body has one reader, which is the transport's thread.
  private nonisolated(unsafe) var state = State()

  var length: Int64? { expected }

  /// - Throws: `RequestError.fileUnreadable` if the file is missing or has another length.
  init(_ path: String, length: Int64, digest: String) throws(RequestError) {
    self.path = path
    self.digest = digest
    expected = length
    do {
      reader = try SegmentReader([.file(path: path)])
    } catch {
      throw .unreadableStoredFile(
        path, error, reachedServer: false)
    }
    guard reader.length == length else {
      let found = reader.length ?? 0
      throw .unreadableStoredFile(
        path, FileError(.read, path, "it has \(found) bytes, and \(length) were stored"), reachedServer: false
      )
    }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> BodyRead {
    let read: BodyRead
    do {
      read = try reader.read(into: buffer)
    } catch {
      throw RequestError.unreadableStoredFile(
        path, error, reachedServer: true)
    }
    if case .bytes(let count) = read {
      state.hash?.update(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)))
      state.position += Int64(count)
    }
    if state.position == expected, let hash = state.hash.take(), "\(hash.finalize())" != digest {
      throw RequestError.unreadableStoredFile(
        path, FileError(.read, path, "its bytes have changed since it was stored"), reachedServer: true)
    }
    return read
  }

  func onReady(_ handler: @escaping @Sendable () -> Void) {}
  func close() {}
}

/// A reader that opens another at its first read, and releases it at its end.
final class LateReader: BodyReader {
  private enum State {
    case closed
    case open(any BodyReader)
    case over
  }

  private let expected: Int64
  private let open: @Sendable () throws -> any BodyReader
  private let state = Locked(State.closed)
  private let handler = Locked<(@Sendable () -> Void)?>(nil)

  var length: Int64? { expected }

  /// - Parameter open: Called at the first read. `read` throws its errors.
  init(length: Int64, _ open: @escaping @Sendable () throws -> any BodyReader) {
    expected = length
    self.open = open
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> BodyRead {
    guard let reader = try reader() else { return .end }
    let read = try reader.read(into: buffer)
    if case .end = read { state.withLock { $0 = .over } }
    return read
  }

  private func reader() throws -> (any BodyReader)? {
    try state.withLock { state in
      switch state {
      case .over: return nil
      case .open(let reader): return reader
      case .closed:
        let reader = try open()
        if let handler = handler.withLock({ $0 }) { reader.onReady(handler) }
        state = .open(reader)
        return reader
      }
    }
  }

  func onReady(_ handler: @escaping @Sendable () -> Void) {
    self.handler.withLock { $0 = handler }
    if case .open(let reader) = state.withLock({ $0 }) { reader.onReady(handler) }
  }

  func close() {
    // The handler keeps the exchange, which keeps this reader.
    handler.withLock { $0 = nil }
    let open = state.withLock { state in
      defer { state = .over }
      return state
    }
    if case .open(let reader) = open { reader.close() }
  }
}

/// Reads several readers one after the other.
final class ChainedReader: BodyReader {
  private let readers: [any BodyReader]
  private let current = Locked(0)
  let length: Int64?

  init(_ readers: [any BodyReader]) {
    self.readers = readers
    length = readers.reduce(0) { sum, reader in sum.flatMap { sum in reader.length.map { sum + $0 } } }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> BodyRead {
    while let reader = current.withLock({ $0 < readers.count ? readers[$0] : nil }) {
      switch try reader.read(into: buffer) {
      case .end: current.withLock { $0 += 1 }
      case let read: return read
      }
    }
    return .end
  }

  func onReady(_ handler: @escaping @Sendable () -> Void) {
    for reader in readers { reader.onReady(handler) }
  }

  func close() {
    for reader in readers { reader.close() }
  }
}
