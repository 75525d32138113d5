import Dispatch

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes the body into an open file on a dedicated queue, so that the transport does not wait for the disk.
final class FileSink: CountedSink {
  /// The most bytes that the file may have, and the error for a longer file.
  struct Limit: Sendable {
    let bytes: Int64
    let error: RequestError
  }

  private struct State {
    var offset: Int64
    var received: Int64 = 0
    var pending = 0
    /// The checksum of the bytes in the file; nil if none is needed.
    var checksum: Checksum?
    var isFull = false
    var failure: FileError?
    var isClosed = false
    var drained: (@Sendable () -> Void)?
  }

  private static let capacity = 2 << 20

  private let file: FileDescriptor
  private let limit: Limit?
  private let queue = DispatchQueue(label: "errand.file")
  private let state: Locked<State>

  /// - Parameters:
  ///   - offset: The position of the first byte. The file must have this length.
  ///   - limit: The limit of the file's length. Default: nil, no limit.
  ///   - isChecked: True to compute a checksum of the bytes.
  init(file: FileDescriptor, offset: Int64, limit: Limit? = nil, isChecked: Bool = false) {
    self.file = file
    self.limit = limit
    state = Locked(State(offset: offset, checksum: isChecked ? Checksum() : nil))
  }

  func write(_ chunk: Data) throws -> SinkSignal {
    let (offset, signal) = try state.withLock { state -> (Int64, SinkSignal) in
      if let failure = state.failure { throw failure }
      // A transport may write before it notices the cancellation. By then, the file may belong to another
      // call.
      if state.isClosed { throw FileError(.write, file.path, "the download has ended") }
      let (end, isTooLong) = state.offset.addingReportingOverflow(Int64(chunk.count))
      if isTooLong { throw FileError(.write, file.path, "it would exceed the longest possible file") }
      if let limit, end > limit.bytes { throw limit.error }
      defer { state.offset = end }
      state.received += Int64(chunk.count)
      state.pending += chunk.count
      state.isFull = state.pending >= Self.capacity
      return (state.offset, state.isFull ? .wait : .more)
    }
    queue.async { self.store(chunk, at: offset) }
    return signal
  }

  private func store(_ chunk: Data, at offset: Int64) {
    let result = Result<Void, FileError> { () throws(FileError) in
      guard state.withLock({ $0.failure == nil }) else { return }
      var failure: FileError?
      unsafe chunk.withUnsafeBytes { bytes in
        do throws(FileError) { try unsafe file.write(bytes, at: offset) } catch { failure = error }
      }
      if let failure { throw failure }
      // The queue is serial, so the bytes come in order.
      guard var checksum = state.withLock({ $0.checksum }) else { return }
      checksum.update(chunk)
      state.withLock { $0.checksum = checksum }
    }
    let drained: (@Sendable () -> Void)? = state.withLock { state in
      state.pending -= chunk.count
      if case .failure(let error) = result { state.failure = error }
      guard state.isFull, state.pending < Self.capacity / 2 || state.failure != nil else { return nil }
      state.isFull = false
      return state.drained
    }
    drained?()
  }

  var received: Int64 { state.withLock { $0.received } }

  /// The checksum of the bytes in the file.
  var checksum: Checksum { state.withLock { $0.checksum ?? Checksum() } }

  func onDrain(_ handler: @escaping @Sendable () -> Void) {
    state.withLock { $0.drained = handler }
  }

  /// Stops accepting bytes, and waits until all bytes are written. Returns the length of the file in bytes.
  func finish() async throws(FileError) -> Int64 {
    state.withLock { $0.isClosed = true }
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume() }
    }
    return try state.withLock { state throws(FileError) in
      if let failure = state.failure { throw failure }
      return state.offset
    }
  }
}
