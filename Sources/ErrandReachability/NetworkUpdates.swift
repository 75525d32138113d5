/// A monitor's statuses: the current one first, then each change. A slow reader misses intermediate statuses,
/// never the newest. The sequence ends when the reading task is cancelled; while it is read, watching goes
/// on.
public struct NetworkUpdates: AsyncSequence, Sendable {
  public typealias Element = NetworkStatus
  public typealias Failure = Never

  private let board: NetworkBoard

  package init(_ board: NetworkBoard) { self.board = board }

  /// Reads the statuses one by one.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let board: NetworkBoard
    fileprivate var seen: NetworkStatus?

    /// Returns the next status; nil if the task is cancelled.
    public mutating func next() async -> NetworkStatus? {
      guard let news = await board.next(after: seen) else { return nil }
      seen = news
      return news
    }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(board: board) }
}
