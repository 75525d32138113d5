package import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension UploadSource {
  /// Creates the source of content that can only be read from its start, such as an encrypted file. What one request has
  /// read is not read again for the next.
  /// - Parameters:
  ///   - work: Where content is read that is not sent. Default: on a queue.
  ///   - start: Opens the content at its start.
  package init(
    length: Int64, name: String?, key: String, identity: UploadRecord.Identity, work: UploadWork = .queued,
    start: @escaping @Sendable () throws -> any BodyReader
  ) {
    let resting = RestingReaders(length, work, start)
    self.init(
      length: length, name: name, key: key, identity: { identity }, work: work,
      open: { try resting.open(at: $0) }, prepare: { try await resting.prepare($0) })
  }
}

/// The readers of content that has no other way to an offset than through the bytes before it. A reader that is closed
/// before the end waits for the next request, which usually begins there.
final class RestingReaders: Sendable {
  /// One for the bytes, and one for their digests.
  private static let limit = 2

  private let length: Int64
  private let work: UploadWork
  private let start: @Sendable () throws -> any BodyReader
  private let resting = Locked<[PlacedReader]>([])

  init(_ length: Int64, _ work: UploadWork, _ start: @escaping @Sendable () throws -> any BodyReader) {
    (self.length, self.work, self.start) = (length, work, start)
  }

  deinit { for reader in resting.withLock({ $0 }) { reader.base.close() } }

  /// Returns a reader at an offset. If the bytes before it have not been read, the reader reads them first.
  func open(at offset: Int64) throws -> any BodyReader {
    let reader = try nearest(to: offset)
    return reader.place == offset ? reader : SkippingReader(reader, offset - reader.place, work)
  }

  /// Reads up to an offset, so that the next reader there has its bytes at once.
  func prepare(_ offset: Int64) async throws {
    let reader = try nearest(to: offset)
    do { try await reader.drain(offset - reader.place, work) { _ in } } catch {
      reader.base.close()
      throw error
    }
    rest(reader)
  }

  /// Takes the resting reader that has the least to read up to an offset, or opens one.
  private func nearest(to offset: Int64) throws -> PlacedReader {
    let found = resting.withLock { resting -> PlacedReader? in
      let usable = resting.indices.filter { resting[$0].place <= offset }
      guard let index = usable.max(by: { resting[$0].place < resting[$1].place }) else { return nil }
      return resting.remove(at: index)
    }
    return try found ?? PlacedReader(start(), self)
  }

  fileprivate func rest(_ reader: PlacedReader) {
    guard reader.place < length else { return reader.base.close() }
    let surplus = resting.withLock { resting -> PlacedReader? in
      resting.append(reader)
      return resting.count > Self.limit ? resting.removeFirst() : nil
    }
    surplus?.base.close()
  }
}

/// A reader that knows its place. It rests when it is closed.
private final class PlacedReader: BodyReader {
  let base: any BodyReader
  private weak let owner: RestingReaders?
  private let state = Locked((place: Int64(0), mayRest: true))
  let length: Int64? = nil

  var place: Int64 { state.withLock { $0.place } }

  init(_ base: any BodyReader, _ owner: RestingReaders) {
    self.base = base
    self.owner = owner
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> BodyRead {
    do {
      let read = try base.fill(buffer)
      state.withLock { state in
        if case .bytes(let count) = read { state.place += Int64(count) }
        if case .end = read { state.mayRest = false }
      }
      return read
    } catch {
      state.withLock { $0.mayRest = false }
      throw error
    }
  }

  func onReady(_ handler: @escaping @Sendable () -> Void) { base.onReady(handler) }

  func close() {
    guard let owner, state.withLock({ $0.mayRest }) else { return base.close() }
    base.onReady {}
    owner.rest(self)
  }
}

/// Reads and discards the first bytes of another reader, on a queue, before it has any itself.
private final class SkippingReader: BodyReader {
  private enum State {
    case skipping
    case ready
    case failed(any Error)
    case closed
  }

  private let base: any BodyReader
  private let state = Locked<(state: State, handler: (@Sendable () -> Void)?)>((.skipping, nil))
  let length: Int64? = nil

  init(_ base: any BodyReader, _ count: Int64, _ work: UploadWork) {
    self.base = base
    ReaderDrain(base, count, work, { _ in }, { [self] in skipped($0) }).start()
  }

  private func skipped(_ result: Result<Void, any Error>) {
    let (handler, isClosed) = state.withLock { state -> ((@Sendable () -> Void)?, Bool) in
      if case .closed = state.state { return (nil, true) }
      switch result {
      case .success: state.state = .ready
      case .failure(let error): state.state = .failed(error)
      }
      return (state.handler, false)
    }
    if isClosed { return base.close() }
    if let handler { base.onReady(handler) }
    handler?()
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> BodyRead {
    switch state.withLock({ $0.state }) {
    case .skipping: .notYet
    case .ready: try base.read(into: buffer)
    case .failed(let error): throw error
    case .closed: .end
    }
  }

  func onReady(_ handler: @escaping @Sendable () -> Void) {
    let isReady = state.withLock { state in
      state.handler = handler
      if case .skipping = state.state { return false }
      return true
    }
    guard isReady else { return }
    base.onReady(handler)
    handler()
  }

  func close() {
    let isSkipping = state.withLock { state in
      defer { state = (.closed, nil) }
      if case .skipping = state.state { return true }
      return false
    }
    if !isSkipping { base.close() }
  }
}

extension BodyReader {
  /// Reads a number of bytes and passes them on.
  /// - Throws: The reader's error; `RequestError`, if it has fewer bytes.
  func drain(
    _ count: Int64, _ work: UploadWork, _ take: @escaping @Sendable (UnsafeRawBufferPointer) -> Void
  ) async throws {
    if count == 0 { return }
    try await withCheckedThrowingContinuation { continuation in
      ReaderDrain(self, count, work, take) { continuation.resume(with: $0) }.start()
    }
  }
}

/// Reads a number of bytes of a reader, also if the reader has to wait for them.
private final class ReaderDrain: Sendable {
  private let reader: any BodyReader
  private let take: @Sendable (UnsafeRawBufferPointer) -> Void
  private let run: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let state: Locked<(rest: Int64, end: (@Sendable (Result<Void, any Error>) -> Void)?)>

  init(
    _ reader: any BodyReader, _ count: Int64, _ work: UploadWork,
    _ take: @escaping @Sendable (UnsafeRawBufferPointer) -> Void,
    _ end: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    (self.reader, self.take, run) = (reader, take, work.runner())
    state = Locked((count, end))
  }

  func start() {
    reader.onReady { [self] in wake() }
    wake()
  }

  private func wake() { run { self.read() } }

  /// Reads as much as there is. Not called concurrently.
  private func read() {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    defer { room.deallocate() }
    while let rest = state.withLock({ $0.end == nil ? nil : $0.rest }) {
      if rest == 0 { return finish(.success(())) }
      do {
        let part = UnsafeMutableRawBufferPointer(rebasing: room.prefix(Int(min(rest, Int64(room.count)))))
        switch try reader.fill(part) {
        case .bytes(let count):
          take(UnsafeRawBufferPointer(rebasing: part.prefix(count)))
          state.withLock { $0.rest -= Int64(count) }
        case .notYet: return
        case .end:
          throw RequestError(
            .fileChanged, message: "the content to upload is shorter than before", reachedServer: false)
        }
      } catch {
        return finish(.failure(error))
      }
    }
  }

  private func finish(_ result: Result<Void, any Error>) {
    let end = state.withLock { state in
      defer { state.end = nil }
      return state.end
    }
    reader.onReady {}
    end?(result)
  }
}
