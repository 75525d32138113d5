/// How far one request is: bytes done, of how many. Whole numbers.
struct ActivityAmount: Sendable, Hashable {
  /// A body up to this size is out at once, and says nothing about how long the request takes.
  static let smallBody: Int64 = 64 << 10
  /// Until the answer's length is known, it is taken to be this part of the body's.
  private static let answerShare = 1.0 / 16
  /// Up to this, sums and differences of amounts are exact, however many there are.
  private static let largest = 0x1p45

  let done: Double
  /// At least 1.
  let total: Double

  /// Nil while the total is not known.
  init?(_ progress: TransferProgress) {
    // Not in integers: a server may announce any length, and a sum of two could trap.
    let answer = progress.receivedTotal.map { Double($0) }
    if let body = progress.sentTotal, body > Self.smallBody {
      self.init(
        done: Double(progress.sent) + (answer == nil ? 0 : Double(progress.received)),
        total: Double(body) + (answer ?? (Double(body) * Self.answerShare).rounded()))
    } else if let answer {
      self.init(done: Double(progress.received), total: answer)
    } else {
      return nil
    }
  }

  /// An amount of nothing is done.
  init(done: Double, total: Double) {
    self.total = min(max(total, 1), Self.largest)
    self.done = total < 1 ? 1 : min(max(done, 0), self.total)
  }

  /// The same from the beginning, as for another try.
  var restarted: ActivityAmount { ActivityAmount(done: 0, total: total) }
}
