/// An activity's snapshots: the present one first, then each that differs. A slow reader misses intermediate
/// snapshots, never the newest. Any number of readers may follow, independently of each other.
///
/// The sequence ends when the reading task is cancelled, or when the activity is released: reading does not
/// keep it alive.
public struct ActivityUpdates: AsyncSequence, Sendable {
  public typealias Element = Activity.Snapshot
  public typealias Failure = Never

  let state: CurrentActivity

  /// Reads the snapshots one by one.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let state: CurrentActivity
    var seen: Activity.Snapshot?

    /// Returns the next snapshot; nil at the end.
    public mutating func next() async -> Activity.Snapshot? {
      guard let news = await state.next(after: seen) else { return nil }
      seen = news
      return news
    }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(state: state) }
}
