/// How many rows a claim may take, in all and of each origin. A claim passes over origins that have no room, however many
/// rows they have.
public struct ClaimBounds: Sendable, Hashable {
  /// The most rows in all.
  public var limit: Int
  /// The most rows of each of these origins; 0 for one that is passed over.
  public var rooms: [String: Int]
  /// The most rows of any other origin.
  public var perOther: Int
  /// The most rows of all other origins together.
  public var others: Int
  /// A row that was attempted so often is moved to the dead letters instead of being claimed; nil for no limit.
  public var maxAttempts: Int?
  /// The wait of a row whose n-th attempt ended with its owner or its lease is `backoff · 2ⁿ⁻¹`; zero for none.
  public var backoff: Duration
  /// No such wait is longer.
  public var maxBackoff: Duration

  /// Bounds that look at no origin.
  public init(_ limit: Int) {
    self.limit = limit
    rooms = [:]
    perOther = .max
    others = .max
    backoff = .zero
    maxBackoff = .zero
  }
}

extension OutboxStore {
  /// Claims as much as there is of each origin.
  public func claim(_ limit: Int, for lease: Duration, at now: StoreTime) async throws -> Claim {
    try await claim(ClaimBounds(limit), for: lease, at: now)
  }
}

/// What of a claim's bounds is left. Pure: every store chooses by it, from rows in the order in which they are to be claimed.
package struct ClaimRoom: Sendable {
  package enum Answer: Sendable, Hashable {
    case taken
    /// Its origin is held, or has no room.
    case passedOver
    /// There would be room for it, but for the limit.
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

  /// The most rows of this origin that there may be room for.
  package func room(_ origin: String) -> Int {
    if held.contains(origin) { return 0 }
    if let room = bounds.rooms[origin] { return room - taken[origin, default: 0] }
    return min(bounds.perOther - taken[origin, default: 0], others)
  }

  /// Whether there is any for origins that are not named.
  package var hasRoomForOthers: Bool { others > 0 && bounds.perOther > 0 }

  /// The origins that are named and have room.
  package var names: [String] { bounds.rooms.keys.filter { room($0) > 0 } }

  /// Takes a row of this origin, if there is room for it.
  package mutating func take(_ origin: String) -> Answer {
    guard room(origin) > 0 else { return .passedOver }
    guard left > 0 else { return .isMore }
    left -= 1
    taken[origin, default: 0] += 1
    if bounds.rooms[origin] == nil { others -= 1 }
    return .taken
  }
}
