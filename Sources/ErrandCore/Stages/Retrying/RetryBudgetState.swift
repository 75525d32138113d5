/// Counts the retries that a client may make, so that a server in trouble is not flooded. In any ten seconds,
/// they are at most `ratio` of the calls that were made, plus `minimumPerSecond` for clients that make few
/// calls.
struct RetryBudgetState: Sendable {
  private static let window = 10

  private struct Second {
    var index: Int64 = .min
    var calls = 0
    var retries = 0
  }

  private let budget: RetryBudget
  private var seconds = [Second](repeating: Second(), count: window)

  init(_ budget: RetryBudget) { self.budget = budget }

  mutating func call(at now: Duration) {
    seconds[slot(now)].calls += 1
  }

  /// Takes a retry out of the budget; returns false if the budget is used up.
  mutating func retry(at now: Duration) -> Bool {
    let slot = slot(now)
    let oldest = now.components.seconds - Int64(Self.window)
    let recent = seconds.filter { $0.index > oldest }
    let allowed =
      Double(budget.minimumPerSecond) * Double(Self.window)
      + budget.ratio * Double(recent.reduce(0) { $0 + $1.calls })
    guard Double(recent.reduce(0) { $0 + $1.retries }) < allowed else { return false }
    seconds[slot].retries += 1
    return true
  }

  private mutating func slot(_ now: Duration) -> Int {
    let index = now.components.seconds
    let slot = Int(index % Int64(Self.window))
    if seconds[slot].index != index { seconds[slot] = Second(index: index) }
    return slot
  }
}

/// A client's limit on retries.
public struct RetryBudget: Sendable, Hashable {
  /// The number of retries per call, over ten seconds. Default: 0.2.
  package var ratio = 0.2
  /// The number of retries per second that are always allowed. Default: 10.
  package var minimumPerSecond = 10

  /// Creates a budget.
  /// - Parameters:
  ///   - ratio: The number of retries per call, over ten seconds. Default: 0.2.
  ///   - minimumPerSecond: The number of retries per second that are always allowed. Default: 10.
  public init(ratio: Double = 0.2, minimumPerSecond: Int = 10) {
    self.ratio = ratio
    self.minimumPerSecond = minimumPerSecond
  }
}
