/// What an outbox did in each minute of the last hour, computed from readings of its statistics. Pure.
struct OutboxHour: Sendable {
  struct Minute: Encodable, Equatable, Sendable {
    /// The beginning of the minute: milliseconds since 1970.
    let at: Double
    var stored = 0
    var delivered = 0
    /// The age in seconds of the oldest unfinished request, at most.
    var oldestAge = 0.0
  }

  /// One reading of the statistics.
  struct Reading: Sendable {
    /// Milliseconds since 1970.
    let at: Double
    /// The number of requests that the outbox knows, in whatever state.
    let all: Int
    /// The number of delivered requests that the outbox still knows.
    let delivered: Int
    /// When the oldest unfinished request was stored: milliseconds since 1970.
    let oldest: Double?
  }

  /// The requests since the first reading, as the statistics and the events of this process count them. The
  /// statistics also count those of other processes, but not those that were removed meanwhile: the larger of the two
  /// numbers is right. They are not read at one moment, so the sums are compared, and not what was added to them.
  private struct Sum {
    private var (read, seen, all) = (0, 0, 0)

    /// Returns by how much the number has grown.
    mutating func take(read: Int, seen: Int) -> Int {
      self.read += max(read, 0)
      self.seen += seen
      defer { all = max(self.read, self.seen) }
      return max(self.read, self.seen) - all
    }
  }

  private(set) var minutes: [Minute] = []
  private var last: Reading?
  private var stored = Sum()
  private var delivered = Sum()

  /// Takes a reading, and the numbers of requests that this process stored and delivered since the last one.
  mutating func take(_ reading: Reading, stored: Int = 0, delivered: Int = 0) {
    let begin = (reading.at / 60_000).rounded(.down) * 60_000
    if minutes.last.map({ $0.at < begin }) ?? true { minutes.append(Minute(at: begin)) }
    minutes.removeFirst(minutes.firstIndex { $0.at > begin - 3_600_000 } ?? 0)
    let end = minutes.count - 1
    let before = last ?? reading
    minutes[end].stored += self.stored.take(read: reading.all - before.all, seen: stored)
    minutes[end].delivered += self.delivered.take(
      read: reading.delivered - before.delivered, seen: delivered)
    if let oldest = reading.oldest {
      minutes[end].oldestAge = max(minutes[end].oldestAge, (reading.at - oldest) / 1000)
    }
    last = reading
  }
}
