/// Tracks several calls until all of them have succeeded, or the first has failed. Pure.
struct DependencyState: Sendable {
  enum Decision: Sendable, Hashable {
    case go
    /// The call at this index failed.
    case failed(Int)
  }

  private var waitsFor: Set<Int>
  private var isDecided = false

  init(count: Int) { waitsFor = Set(0..<count) }

  /// Records that a call has ended. Returns the decision, once.
  mutating func ended(_ index: Int, succeeded: Bool) -> Decision? {
    guard !isDecided else { return nil }
    waitsFor.remove(index)
    isDecided = !succeeded || waitsFor.isEmpty
    guard isDecided else { return nil }
    return succeeded ? .go : .failed(index)
  }
}
