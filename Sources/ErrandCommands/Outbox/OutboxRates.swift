import ErrandOutbox

/// Calculates the rates at which an outbox stores and delivers, from successive counts. Pure.
struct OutboxRates: Sendable {
  private struct Second: Sendable {
    let number: Int
    var stored = 0
    var delivered = 0
  }

  /// The number of seconds that are drawn.
  static let span = 40
  /// The number of seconds over which a rate is averaged.
  private static let averaged = 10
  private static let levels = Array("▁▂▃▄▅▆▇█")

  /// The seconds in which something happened, the newest last.
  private var seconds: [Second] = []
  private var last: (all: Int, delivered: Int)?
  private var began: Duration?

  /// Adds a reading of the counts.
  /// - Parameter now: The time of any monotonic clock.
  mutating func take(_ counts: [OutboxState: Int], at now: Duration) {
    let reading = (all: counts.values.reduce(0, +), delivered: counts[.delivered, default: 0])
    defer { last = reading }
    guard let last else {
      began = now
      return
    }
    // Finished requests are deleted after a while, so both counts may decrease.
    let (stored, delivered) = (max(0, reading.all - last.all), max(0, reading.delivered - last.delivered))
    let number = Int(now.components.seconds)
    if seconds.last?.number != number { seconds.append(Second(number: number)) }
    seconds[seconds.count - 1].stored += stored
    seconds[seconds.count - 1].delivered += delivered
    seconds.removeAll { $0.number <= number - Self.span }
  }

  /// Returns the rates, and a bar for each of the last seconds: `stored 2/s, delivered 1.5/s ▁▁▃█`.
  func line(at now: Duration) -> String {
    let number = Int(now.components.seconds)
    let whole = max(1, min(Self.averaged, number - Int((began ?? now).components.seconds)))
    // The current second is incomplete, so it would make the rate too low.
    let recent = seconds.filter { number - whole..<number ~= $0.number }
    func rate(_ count: Int) -> String {
      let tenths = (Double(count) / Double(whole) * 10).rounded() / 10
      return tenths == tenths.rounded() ? "\(Int(tenths))/s" : "\(tenths)/s"
    }
    let stored = rate(recent.reduce(0) { $0 + $1.stored })
    let delivered = rate(recent.reduce(0) { $0 + $1.delivered })
    return "stored \(stored), delivered \(delivered) \(bars(at: number))"
  }

  /// Returns a bar for each of the last seconds, scaled to the second with the most deliveries.
  private func bars(at number: Int) -> String {
    let most = max(1, seconds.map(\.delivered).max() ?? 1)
    let counts = Dictionary(uniqueKeysWithValues: seconds.map { ($0.number, $0.delivered) })
    return String(
      (number - Self.span + 1...number).map { second in
        let count = counts[second, default: 0]
        guard count > 0 else { return Self.levels[0] }
        return Self.levels[1 + (count * (Self.levels.count - 1) - 1) / most]
      })
  }
}
