#if Postgres
  import ErrandCore

  /// The fleet's ticks, counted by this process's clock, which is never set. The server's clock is set now and then, by
  /// hours if another machine takes over. The store reads it several times within `absence`, and corrects the server's
  /// ticks when that clock was set. Pure: times are durations since one start.
  struct FleetClock: Sendable {
    /// The server's ticks, read at some instant between two times of this process.
    struct Reading: Sendable {
      var sent: Duration
      var received: Duration
      var ticks: Int64
      /// How far they were ahead of the server's clock: changes when a worker corrects them.
      var drift: Int64 = 0
    }

    /// How far the server's clock may be off before it counts as set. A clock that is only adjusted is followed.
    static let tolerance: Int64 = 500

    /// How long this worker may be silent.
    private let absence: Duration
    /// The ticks at time zero are at least this, and larger by `doubt` at most.
    private var base: Int64
    private var doubt: Int64
    /// The drift that was read last.
    private var drift: Int64
    /// When the server was read first, and when last.
    private let first: Duration
    private var last: Duration
    /// Since when the server was read without a long gap.
    private var followed: Duration

    init(_ reading: Reading, absence: Duration) {
      self.absence = absence
      base = reading.earliest
      doubt = reading.doubt
      drift = reading.drift
      first = reading.received
      last = reading.received
      followed = reading.received
    }

    /// Returns the ticks now. They are never ahead of the server's.
    func ticks(at now: Duration) -> Int64 { base + Int64(now.wholeMilliseconds) }

    /// True if this clock has run for so long that every other worker would have corrected what it began with.
    func isSettled(at now: Duration) -> Bool { now - first >= absence / 2 }

    /// True if this clock corrects the server's ticks, which differ from its own; false if it follows them. A clock that is
    /// not settled may have begun after the server's was set. It follows if another worker has corrected the ticks since
    /// it read them. Otherwise the server's clock was set just now, and the clock corrects the ticks.
    func corrects(_ reading: Reading) -> Bool { isSettled(at: reading.received) || reading.drift == drift }

    /// Returns for how long this worker would have seen signs of life of others: not from before a gap, in which
    /// none could be heard.
    func following(at now: Duration) -> Duration { now - last > absence / 2 ? .zero : now - followed }

    /// Takes a reading of the server's ticks.
    /// - Returns: False if the server's clock was set: then nothing is taken.
    mutating func take(_ reading: Reading) -> Bool {
      let low = ticks(at: reading.sent) - Self.tolerance
      let high = ticks(at: reading.received) + doubt + Self.tolerance
      guard (low...high).contains(reading.ticks) else { return false }
      let start = reading.earliest
      let (from, to) = (max(base, start), min(base + doubt, start + reading.doubt))
      (base, doubt) = from <= to ? (from, to - from) : (start, reading.doubt)
      drift = reading.drift
      hear(at: reading.received)
      return true
    }

    /// Takes the server's ticks for right, whatever this clock says.
    mutating func follow(_ reading: Reading) {
      (base, doubt, drift) = (reading.earliest, reading.doubt, reading.drift)
      hear(at: reading.received)
    }

    private mutating func hear(at time: Duration) {
      if time - last > absence / 2 { followed = time }
      last = time
    }
  }

  extension FleetClock.Reading {
    /// The ticks at time zero, if the server was read at the very end.
    fileprivate var earliest: Int64 { ticks - Int64(received.wholeMilliseconds) }
    /// The most that they were higher, if it was read right after it was asked.
    fileprivate var doubt: Int64 { Int64((received - sent).wholeMilliseconds) + 1 }
  }
#endif
