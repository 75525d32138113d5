#if Postgres
  import ErrandCrypto
  import ErrandCore

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Reads a blob piece by piece: it fetches the next piece while the last one is being sent. It compares the
  /// bytes with the digest in the blob's name, so a server never receives a changed blob completely.
  final class BlobReader: BodyReader {
    private enum Failure {
      /// The blob has changed since it was stored, or a part is missing.
      case altered(String)
      /// The database cannot be read now.
      case away(String)

      func error(_ name: String, reachedServer: Bool) -> RequestError {
        switch self {
        case .altered(let reason): PostgresBlobs.unreadable(name, reason, reachedServer)
        case .away(let reason): PostgresBlobs.away(name, reason, reachedServer)
        }
      }
    }

    private struct State {
      /// The pieces that were fetched and not read yet.
      var pieces: [Data] = []
      /// The number of bytes of the first piece that were read.
      var offset = 0
      var fetched: Int64 = 0
      var number: Int64 = 0
      var isFetching = false
      var isClosed = false
      var failure: Failure?
      var handler: (@Sendable () -> Void)?
      var isAwaited = false
      var position: Int64 = 0
    }

    /// The most pieces that wait to be read.
    private static let mostWaiting = 2

    private let core: StoreCore
    private let name: String
    private let key: String
    private let size: Int64
    private let digest: String
    private let state = Locked(State())
    // Safe to share: a body has one reader, which is the transport's thread.
    private nonisolated(unsafe) var hash: SHA256Hash? = SHA256Hash()

    var length: Int64? { size }

    /// - Parameter first: The bytes of a blob that is not stored in pieces.
    init(_ core: StoreCore, _ name: String, _ key: String, size: Int64, digest: String, first: Data?) {
      self.core = core
      self.name = name
      self.key = key
      self.size = size
      self.digest = digest
      if let first {
        state.withLock { state in
          state.pieces = first.isEmpty ? [] : [first]
          state.fetched = Int64(first.count)
        }
      }
      fetch()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> BodyRead {
      let found: Result<BodyRead, RequestError> = state.withLock { state in
        if let failure = state.failure {
          return .failure(failure.error(name, reachedServer: state.position > 0))
        }
        guard let piece = state.pieces.first else {
          if state.position == size { return end(&state) }
          state.isAwaited = true
          return .success(.notYet)
        }
        let count = min(buffer.count, piece.count - state.offset)
        let start = piece.startIndex + state.offset
        buffer.copyBytes(from: piece[start..<start + count])
        hash?.update(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)))
        state.position += Int64(count)
        state.offset += count
        if state.offset == piece.count {
          state.pieces.removeFirst()
          state.offset = 0
        }
        guard state.position == size else { return .success(.bytes(count)) }
        return end(&state).map { _ in .bytes(count) }
      }
      fetch()
      return try found.get()
    }

    /// Checks the digest, once all bytes were read.
    private func end(_ state: inout State) -> Result<BodyRead, RequestError> {
      if let hash = hash.take(), "\(hash.finalize())" != digest {
        let failure = Failure.altered("its bytes have changed since it was stored")
        state.failure = failure
        return .failure(failure.error(name, reachedServer: true))
      }
      return .success(.end)
    }

    /// Fetches the next piece, if there is capacity for it.
    private func fetch() {
      let number: Int64? = state.withLock { state in
        guard !state.isFetching, !state.isClosed, state.failure == nil, state.fetched < size,
          state.pieces.count < Self.mostWaiting
        else { return nil }
        state.isFetching = true
        return state.number
      }
      guard let number else { return }
      let query = core.query(
        "SELECT data FROM errand.pieces WHERE key = $1 AND number = $2", [.text(key), .integer(number)],
        isRepeatable: true)
      core.link.submit(query) { [self] in take($0) }
    }

    private func take(_ outcome: Result<PostgresAnswer, PostgresFailure>) {
      let handler: (@Sendable () -> Void)? = state.withLock { state in
        state.isFetching = false
        switch outcome {
        case .failure(let failure): state.failure = .away("\(failure.error(core.link))")
        case .success(let answer):
          if let piece = answer.first?.data(0), !piece.isEmpty, state.fetched + Int64(piece.count) <= size {
            state.pieces.append(piece)
            state.fetched += Int64(piece.count)
            state.number += 1
          } else {
            state.failure = .altered("a part of it is missing")
          }
        }
        guard state.isAwaited, !state.isClosed else { return nil }
        state.isAwaited = false
        return state.handler
      }
      handler?()
      fetch()
    }

    func onReady(_ handler: @escaping @Sendable () -> Void) {
      // Pieces may have arrived before the handler was set.
      let isReady = state.withLock { state in
        state.handler = handler
        return !state.isClosed && (!state.pieces.isEmpty || state.failure != nil)
      }
      if isReady { handler() }
    }

    func close() {
      state.withLock { state in
        state.isClosed = true
        state.handler = nil
        state.pieces = []
      }
    }
  }
#endif
