import ErrandCore

/// The decisions of a `VirtualClock`, without its tasks: which sleeps end next, which calls that move the time return,
/// and when. Every change goes through this value under one lock, so a step is chosen only while no work is pending.
package struct VirtualTime: Sendable {
  /// A call that moves the time.
  package enum Move: Sendable, Equatable {
    /// Moves the time to an instant, from one end of a sleep to the next.
    case advance(to: Duration)
    /// Moves the time to the next end of a sleep, and ends when the woken work is idle.
    case next(hasMoved: Bool)
  }

  /// What happens when all work is idle.
  package enum Step: Sendable, Equatable {
    /// Wake these sleepers, in this order. The time is now the end of their sleeps.
    case wake([Int])
    /// End this move. False if it was `next`, and nothing slept.
    case end(Int, hasMoved: Bool)
  }

  /// What to do after a round of the main thread, or when its rounds have ended.
  package enum Look: Sendable, Equatable {
    /// Nothing. The clock looks again when the pending work ends, or when something changes.
    case rest
    /// Let the main thread do one more round.
    case round
    /// Call `decide(isHeld:)`.
    case decide
    case step(Step)
  }

  private struct Sleep: Sendable {
    let end: Duration
    /// The place among all sleeps that ever began.
    let number: Int
    let id: Int
  }

  /// The number of jobs of the main actor, one after another, after which the clock no longer waits.
  package static let mainRounds = 20

  package private(set) var now = Duration.zero
  /// The number of pending jobs, and of tasks that were woken or whose move ended and that have not run yet.
  package private(set) var pending = 0
  /// The end of each sleep, by its id.
  private var ends: [Int: Duration] = [:]
  /// The sleeps by their ends. It may contain sleeps that were cancelled.
  private var order = Heap<Sleep> { ($0.end, $0.number) < ($1.end, $1.number) }
  private var begun = 0
  private var moves: [(id: Int, move: Move)] = []
  /// The number of calls of `run(_:)`, which move the time when no other call does.
  private var runs = 0
  /// The number of rounds of the main thread without pending work. Nil unless they are counted.
  private var quietRounds: Int?

  package init() {}

  // MARK: Sleeps

  package var sleepers: Int { ends.count }
  package var sortedEnds: [Duration] { ends.values.sorted() }

  /// - Parameter id: Differs from the id of every other sleep.
  package mutating func sleep(_ id: Int, until end: Duration) {
    begun += 1
    ends[id] = end
    order.insert(Sleep(end: end, number: begun, id: id))
  }

  /// - Returns: False if no such task sleeps.
  package mutating func cancelSleep(_ id: Int) -> Bool {
    guard ends.removeValue(forKey: id) != nil else { return false }
    // Removed one by one, they would cost a sort each.
    if order.count > 2 * ends.count + 16 { order.removeAll { ends[$0.id] == nil } }
    return true
  }

  private mutating func firstEnd() -> Duration? {
    while let first = order.first, ends[first.id] == nil { _ = order.removeFirst() }
    return order.first?.end
  }

  /// Moves the time to the earliest end. Removes all sleeps with this end, and returns them in the order in which they
  /// began.
  package mutating func wake(counts: Bool = true) -> [Int] {
    guard let end = firstEnd() else { return [] }
    now = max(now, end)
    var woken: [Int] = []
    while firstEnd() == end, let sleep = order.removeFirst() {
      ends[sleep.id] = nil
      woken.append(sleep.id)
    }
    if counts { pending += woken.count }
    return woken
  }

  // MARK: Work

  package mutating func beginWork() {
    pending += 1
    if quietRounds != nil { quietRounds = 0 }
  }

  package mutating func endWork() { pending -= 1 }

  /// Whether work is pending, or a step would follow when it is idle.
  package var isBusy: Bool { pending > 0 || !moves.isEmpty || runs > 0 && !ends.isEmpty }

  // MARK: Moves

  /// - Parameter id: Differs from the id of every other move.
  package mutating func begin(_ move: Move, _ id: Int) { moves.append((id, move)) }
  package mutating func beginRun() { runs += 1 }
  package mutating func endRun() { runs -= 1 }

  /// Call this after every change.
  /// - Returns: Whether a round of the main thread has to begin. Otherwise one is under way, or work is pending.
  package mutating func look() -> Bool {
    guard pending == 0, !moves.isEmpty || runs > 0, quietRounds == nil else { return false }
    quietRounds = 0
    return true
  }

  /// Does the same as `look()`. Rounds that are under way begin again.
  package mutating func lookAgain() -> Bool {
    if quietRounds != nil { quietRounds = 0 }
    return look()
  }

  /// Call this at the end of each round of the main thread.
  package mutating func endRound() -> Look {
    guard pending == 0, let rounds = quietRounds else {
      quietRounds = nil
      return .rest
    }
    quietRounds = rounds + 1
    return rounds < Self.mainRounds ? .round : .decide
  }

  /// Chooses the next step, if there was no work since the rounds of the main thread began.
  /// - Parameter isHeld: Whether another clock has to move before this one.
  package mutating func decide(isHeld: Bool) -> Look {
    // Work that began since then has set the number of rounds to zero.
    guard let rounds = quietRounds, rounds > Self.mainRounds else { return .round }
    quietRounds = nil
    return isHeld ? .rest : nextStep().map(Look.step) ?? .rest
  }

  /// The time stops at each end of a sleep and of a move, in the order of time. So a move that the work of another
  /// move begins ends before that one, if its limit is earlier.
  private mutating func nextStep() -> Step? {
    if let moved = moves.first(where: { $0.move == .next(hasMoved: true) }) {
      return end(moved.id, hasMoved: true)
    }
    var limited: (id: Int, limit: Duration)?
    for case (let id, .advance(let limit)) in moves where limited.map({ limit < $0.limit }) ?? true {
      limited = (id, limit)
    }
    let next = moves.firstIndex { $0.move == .next(hasMoved: false) }
    let end = firstEnd()
    if let limited, end.map({ limited.limit < $0 }) ?? true {
      now = max(now, limited.limit)
      return self.end(limited.id, hasMoved: true)
    }
    if end != nil, !moves.isEmpty || runs > 0 {
      if let next { moves[next].move = .next(hasMoved: true) }
      return .wake(wake())
    }
    return next.map { self.end(moves[$0].id, hasMoved: false) }
  }

  private mutating func end(_ id: Int, hasMoved: Bool) -> Step {
    moves.removeAll { $0.id == id }
    pending += 1
    return .end(id, hasMoved: hasMoved)
  }
}
