import ErrandCore

/// Reads one piece of an upload for the transport. It passes interim responses on, and can hold back bytes until
/// something has been stored.
final class UploadReader: InterimReader {
  struct Handlers: Sendable {
    /// Takes an interim response.
    var interim: @Sendable (UploadReader, ResponseHead) -> Void = { _, _ in }
    /// Called before the last byte of the piece is read; nil if nothing must happen then. It may hold the reader.
    var lastByte: (@Sendable (UploadReader) -> Void)?
    /// Returns true if the rest of the piece is not needed.
    var ends: @Sendable (ResponseHead) -> Bool = { _ in false }
  }

  private struct State {
    var rest: Int64
    var holds = 0
    var failure: (any Error)?
    var hasReachedEnd = false
    var onReady: (@Sendable () -> Void)?
  }

  private let base: any BodyReader
  private let handlers: Handlers
  /// Compares the content with its state before the upload, when the last byte was read.
  private let check: @Sendable () throws -> Void
  private let state: Locked<State>
  let length: Int64?

  init(
    _ base: any BodyReader, count: Int64, _ handlers: Handlers, check: @escaping @Sendable () throws -> Void
  ) {
    (self.base, self.handlers, self.check) = (base, handlers, check)
    length = count
    state = Locked(State(rest: count))
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> BodyRead {
    let rest = state.withLock { $0.rest }
    guard rest > 0 else { return .end }
    let isEnd = rest <= Int64(buffer.count)
    if isEnd, let lastByte = handlers.lastByte {
      let isFirst = state.withLock { state in
        defer { state.hasReachedEnd = true }
        return !state.hasReachedEnd
      }
      if isFirst { lastByte(self) }
    }
    let (isHeld, failure) = state.withLock { ($0.holds > 0, $0.failure) }
    if let failure { throw failure }
    if isHeld { return .notYet }
    let room = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(min(rest, Int64(buffer.count)))))
    let read = try base.fill(room)
    switch read {
    case .bytes(let count):
      if Int64(count) == rest { try check() }
      state.withLock { $0.rest -= Int64(count) }
    case .end:
      throw RequestError(
        .fileChanged, message: "the upload was stopped: the content is shorter than before",
        reachedServer: true)
    case .notYet: break
    }
    return read
  }

  func onReady(_ handler: @escaping @Sendable () -> Void) {
    state.withLock { $0.onReady = handler }
    base.onReady(handler)
  }

  func close() {
    // The handler keeps the exchange, which keeps this reader.
    state.withLock { $0.onReady = nil }
    base.close()
  }

  func received(interim head: ResponseHead) { handlers.interim(self, head) }

  func ends(at head: ResponseHead) -> Bool { handlers.ends(head) }

  /// Gives out no more bytes until `release`.
  func hold() { state.withLock { $0.holds += 1 } }

  /// Ends a hold, with an error that ends the request, too.
  func release(_ error: (any Error)? = nil) {
    let ready = state.withLock { state -> (@Sendable () -> Void)? in
      state.holds -= 1
      if let error, state.failure == nil { state.failure = error }
      return state.onReady
    }
    ready?()
  }

  /// Ends the request with an error at the next read.
  func stop(_ error: any Error) {
    hold()
    release(error)
  }
}
