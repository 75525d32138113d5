/// How many rows a claim may take, in total and of each origin. A claim passes over origins that have no
/// capacity left, however many rows they have.
public struct ClaimBounds: Sendable, Hashable {
  /// The most rows in total.
  public var limit: Int
  /// The most rows of each of these origins; 0 for one that is passed over.
  public var capacities: [String: Int]
  /// The most rows of any other origin.
  public var perOther: Int
  /// The most rows of all other origins together.
  public var others: Int
  /// The number of counted attempts at which a row is moved to the dead letters instead of being claimed; nil
  /// for no limit.
  public var maxAttempts: Int?
  /// The base of the wait of a row whose n-th attempt ended with its owner or its lease: `backoff · 2ⁿ⁻¹`;
  /// zero for no wait.
  public var backoff: Duration
  /// The longest of these waits.
  public var maxBackoff: Duration

  /// Creates bounds that ignore origins.
  public init(_ limit: Int) {
    self.limit = limit
    capacities = [:]
    perOther = .max
    others = .max
    backoff = .zero
    maxBackoff = .zero
  }
}

extension OutboxStore {
  /// Claims rows of any origin.
  public func claim(_ limit: Int, for lease: Duration) async throws -> Claim {
    try await claim(ClaimBounds(limit), for: lease)
  }
}

/// The capacity that a claim has left. Pure: every store selects rows with it, in the order in which they are
/// to be claimed.
package struct ClaimCapacity: Sendable {
  package enum Result: Sendable, Hashable {
    case taken
    /// The row's origin is held, or has no capacity left.
    case passedOver
    /// The row's origin has capacity, but the limit is reached.
    case isMore
  }

  private let bounds: ClaimBounds
  private let held: Set<String>
  private var taken: [String: Int] = [:]
  private var left: Int
  private var others: Int

  package init(_ bounds: ClaimBounds, held: Set<String>) {
    self.bounds = bounds
    self.held = held
    left = max(0, bounds.limit)
    others = bounds.others
  }

  /// Returns how many more rows of this origin may be taken.
  package func capacity(_ origin: String) -> Int {
    if held.contains(origin) { return 0 }
    if let most = bounds.capacities[origin] { return most - taken[origin, default: 0] }
    return min(bounds.perOther - taken[origin, default: 0], others)
  }

  /// True if origins that are not named may have capacity.
  package var hasRoomForOthers: Bool { others > 0 && bounds.perOther > 0 }

  /// The named origins that have capacity.
  package var names: [String] { bounds.capacities.keys.filter { capacity($0) > 0 } }

  /// Takes a row of this origin, if there is capacity for it.
  package mutating func take(_ origin: String) -> Result {
    guard capacity(origin) > 0 else { return .passedOver }
    guard left > 0 else { return .isMore }
    left -= 1
    taken[origin, default: 0] += 1
    if bounds.capacities[origin] == nil { others -= 1 }
    return .taken
  }
}
