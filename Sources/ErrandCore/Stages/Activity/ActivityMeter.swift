/// The progress of an activity's requests together, by their bytes.
///
/// While the activity is shown, the fraction never goes down: when a request joins or restarts, the remaining
/// work is spread over the rest of the bar. The bar is never full while work is left: a request whose length
/// is not known yet counts as much as the average of the others.
struct ActivityMeter: Sendable {
  /// A bar fuller than this cannot take another request.
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
  /// The point from which on `fraction` follows `share`.
  private var anchor: Anchor?
  /// Between 0 and 1; nil while no total is known, and after a request has joined a bar that was nearly full.
  private(set) var fraction: Double?

  /// The part of all bytes that is done.
  private var share: Double? {
    known == 0 ? nil : done / (total + Double(unknown) * total / Double(known))
  }

  /// Keeps the fraction from going down, from now on until the meter is replaced.
  mutating func watch() {
    isWatched = true
    turn()
  }

  /// Adds a request whose length is not known yet.
  mutating func join() {
    if isWatched, let fraction, fraction > Self.full { isOverrun = true }
    unknown += 1
    turn()
  }

  /// Updates a request that progresses, learns its total, or restarts.
  mutating func change(_ old: ActivityAmount?, to new: ActivityAmount) {
    if let old { remove(old) } else { unknown -= 1 }
    add(new)
    if let old, old.total == new.total, old.done <= new.done { move() } else { turn() }
  }

  /// Removes a request, and takes the bytes that it has not transferred out of the total.
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

  /// Continues from the present fraction after the amount of work has changed.
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

  /// Advances the fraction after more is done.
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

/// The progress of one request: the bytes done and their total, as whole numbers.
struct ActivityAmount: Sendable, Hashable {
  /// Request bodies up to this size are sent at once, so their progress says nothing about the request's
  /// duration.
  static let smallBody: Int64 = 64 << 10
  /// The response's assumed share of the request body's length, until the response's length is known.
  private static let responseShare = 1.0 / 16
  /// Sums and differences of amounts up to this one are exact, however many there are.
  private static let largest = 0x1p45

  let done: Double
  /// At least 1.
  let total: Double

  /// Returns nil while the total is not known.
  init?(_ progress: TransferProgress) {
    // Not in integers: a server may announce any length, and a sum of two could trap.
    let response = progress.receivedTotal.map { Double($0) }
    if let body = progress.sentTotal, body > Self.smallBody {
      self.init(
        done: Double(progress.sent) + (response == nil ? 0 : Double(progress.received)),
        total: Double(body) + (response ?? (Double(body) * Self.responseShare).rounded()))
    } else if let response {
      self.init(done: Double(progress.received), total: response)
    } else {
      return nil
    }
  }

  /// Creates an amount. A total of zero counts as done.
  init(done: Double, total: Double) {
    self.total = min(max(total, 1), Self.largest)
    self.done = total < 1 ? 1 : min(max(done, 0), self.total)
  }

  /// The same total with nothing done, for another attempt.
  var restarted: ActivityAmount { ActivityAmount(done: 0, total: total) }
}
