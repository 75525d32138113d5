/// How far the requests of an activity are together, by their bytes.
///
/// While somebody looks, it never goes down: when a request joins, or one begins again, what is left to do is spread over
/// what is left of the bar. Nor does it stand at the end while there is something to do: a request that does not know its
/// length yet counts as much as the others do on average.
struct ActivityMeter: Sendable {
  /// A bar as full as this has no room for another request.
  private static let full = 0.99

  private struct Anchor: Sendable {
    let fraction: Double
    let share: Double
  }

  private var done = 0.0
  private var total = 0.0
  private var known = 0
  private var unknown = 0
  private var isWatched = false
  private var isOverrun = false
  /// From where on `fraction` follows `share`.
  private var anchor: Anchor?
  /// Between 0 and 1; nil while no total is known, and when a request has joined too late for the bar.
  private(set) var fraction: Double?

  /// The part that is done, as things are now.
  private var share: Double? {
    known == 0 ? nil : done / (total + Double(unknown) * total / Double(known))
  }

  /// Somebody looks, from now until it is begun anew.
  mutating func watch() {
    isWatched = true
    turn()
  }

  /// A request begins; nothing is known of it yet.
  mutating func join() {
    if isWatched, let fraction, fraction > Self.full { isOverrun = true }
    unknown += 1
    turn()
  }

  /// A request that is in it gets on, gets to know its total, or begins again.
  mutating func change(_ old: ActivityAmount?, to new: ActivityAmount) {
    if let old { remove(old) } else { unknown -= 1 }
    add(new)
    if let old, old.total == new.total, old.done <= new.done { move() } else { turn() }
  }

  /// A request leaves, with the bytes that it has not moved.
  mutating func leave(_ amount: ActivityAmount?) {
    if let amount {
      remove(amount)
      if amount.done >= 1 { add(ActivityAmount(done: amount.done, total: amount.done)) }
    } else {
      unknown -= 1
    }
    turn()
  }

  private mutating func add(_ amount: ActivityAmount) {
    done += amount.done
    total += amount.total
    known += 1
  }

  private mutating func remove(_ amount: ActivityAmount) {
    done -= amount.done
    total -= amount.total
    known -= 1
  }

  /// There is another amount to do than before: goes on from where it is.
  private mutating func turn() {
    guard isWatched else {
      fraction = share
      return
    }
    if isOverrun {
      fraction = nil
      return
    }
    guard let share else {
      anchor = nil
      return
    }
    let fraction = fraction ?? share
    self.fraction = fraction
    anchor = Anchor(fraction: fraction, share: share)
  }

  /// More is done than before.
  private mutating func move() {
    guard isWatched else {
      fraction = share
      return
    }
    guard !isOverrun, let anchor, let fraction, let share, share > anchor.share else { return }
    let way = (share - anchor.share) / (1 - anchor.share)
    self.fraction = min(1, max(fraction, anchor.fraction + (1 - anchor.fraction) * way))
  }
}
