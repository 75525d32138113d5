/// An activity's snapshots: the present one first, then each that is different. A slow reader misses what lies between,
/// never the newest. Any number of readers may follow; each gets all of it.
///
/// It ends when the reading task is cancelled, or when nobody keeps the activity any more: reading does not.
public struct ActivityUpdates: AsyncSequence, Sendable {
  public typealias Element = Activity.Snapshot
  public typealias Failure = Never

  let board: ActivityBoard

  /// Reads the snapshots one by one.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let board: ActivityBoard
    var seen: Activity.Snapshot?

    /// The next snapshot; nil at the end.
    public mutating func next() async -> Activity.Snapshot? {
      guard let news = await board.next(after: seen) else { return nil }
      seen = news
      return news
    }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(board: board) }
}
