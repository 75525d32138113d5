/// The progress of a call: its present value, then each change until the call ends. A slow reader misses
/// intermediate values.
public struct CallProgress: AsyncSequence, Sendable {
  public typealias Element = TransferProgress
  public typealias Failure = Never

  private let hub: ProgressHub
  private let changes: AsyncStream<Void>

  init(_ hub: ProgressHub, until promise: Promise<Response>) {
    self.hub = hub
    let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.changes = changes
    let id = hub.listen { _ in change.yield() }
    let end = promise.listen { _ in change.finish() }
    change.onTermination = { _ in
      hub.stopListening(id)
      if let end { promise.stopListening(end) }
    }
  }

  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let hub: ProgressHub
    fileprivate var changes: AsyncStream<Void>.Iterator
    private var last = TransferProgress(attempt: 0)

    fileprivate init(_ hub: ProgressHub, _ changes: AsyncStream<Void>.Iterator) {
      self.hub = hub
      self.changes = changes
    }

    public mutating func next() async -> TransferProgress? {
      while await changes.next(isolation: #isolation) != nil {
        let current = hub.current
        guard current != last else { continue }
        last = current
        return current
      }
      return nil
    }
  }

  public func makeAsyncIterator() -> Iterator { Iterator(hub, changes.makeAsyncIterator()) }
}
