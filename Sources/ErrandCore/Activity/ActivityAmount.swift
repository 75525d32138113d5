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

  /// The same total with nothing done, as for another attempt.
  var restarted: ActivityAmount { ActivityAmount(done: 0, total: total) }
}
