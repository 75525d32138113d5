/// Waits for several others: until all of them have succeeded, or the first has failed. Pure.
struct DependencyState: Sendable {
  enum Verdict: Sendable, Hashable {
    case go
    /// The one at this place failed.
    case failed(Int)
  }

  private var waitsFor: Set<Int>
  private var isDecided = false

  init(count: Int) { waitsFor = Set(0..<count) }

  /// One of them has ended. Returns the verdict, once.
  mutating func ended(_ index: Int, succeeded: Bool) -> Verdict? {
    guard !isDecided else { return nil }
    waitsFor.remove(index)
    isDecided = !succeeded || waitsFor.isEmpty
    guard isDecided else { return nil }
    return succeeded ? .go : .failed(index)
  }
}
