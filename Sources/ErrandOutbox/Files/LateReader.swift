import ErrandCore

/// A reader that is opened at its first read, and released at its end.
final class LateReader: BodyReader {
  private enum State {
    case closed
    case open(any BodyReader)
    case over
  }

  private let expected: Int64
  private let open: @Sendable () throws -> any BodyReader
  private let state = Locked(State.closed)

  var length: Int64? { expected }

  /// - Parameter open: Called at the first read. An error that it throws is thrown by `read`.
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
        state = .open(reader)
        return reader
      }
    }
  }

  func onReady(_ handler: @escaping @Sendable () -> Void) {}

  func close() { state.withLock { $0 = .over } }
}
