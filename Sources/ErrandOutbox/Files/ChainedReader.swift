import ErrandCore

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
