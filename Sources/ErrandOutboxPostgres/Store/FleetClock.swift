#if Postgres
  import ErrandCore

  /// The fleet's ticks, counted by this process's clock, which is never set. The server's clock is set now
  /// and then, by hours if another machine takes over. The store reads the server's ticks several times
  /// within `absence`, and corrects them when the server's clock was set. Pure: times are durations since one
  /// start.
  struct FleetClock: Sendable {
    /// The server's ticks, read at some instant between two times of this process.
    struct Reading: Sendable {
      var sent: Duration
      var received: Duration
      var ticks: Int64
      /// How far the ticks were ahead of the server's clock. It changes when a worker corrects the ticks.
      var drift: Int64 = 0
    }

    /// How far the server's clock may deviate before it counts as set. This clock follows smaller
    /// adjustments.
    static let tolerance: Int64 = 500

    /// How long this worker may be silent.
    private let absence: Duration
    /// The ticks at time zero are at least this, and at most `doubt` more.
    private var base: Int64
    private var doubt: Int64
    /// The drift that was read last.
    private var drift: Int64
    /// When the server was first read, and when it was last read.
    private let first: Duration
    private var last: Duration
    /// The time since which the server has been read without a long gap.
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

    /// Returns the present ticks. They are never ahead of the server's ticks.
    func ticks(at now: Duration) -> Int64 { base + Int64(now.wholeMilliseconds) }

    /// True if this clock has run for so long that any other worker would have corrected a wrong start.
    func isSettled(at now: Duration) -> Bool { now - first >= absence / 2 }

    /// True if this clock corrects the server's ticks, which differ from its own; false if it follows them. A
    /// clock that is not settled may have begun after the server's clock was set. If another worker has
    /// corrected the ticks since this clock read them, this clock follows. Otherwise the server's clock was
    /// set just now, and this clock corrects the ticks.
    func corrects(_ reading: Reading) -> Bool { isSettled(at: reading.received) || reading.drift == drift }

    /// Returns the time in which this worker could have seen signs of life of others. It begins after the
    /// last gap, because no sign could be heard during a gap.
    func following(at now: Duration) -> Duration { now - last > absence / 2 ? .zero : now - followed }

    /// Takes a reading of the server's ticks.
    /// - Returns: False if the server's clock was set. The reading is then ignored.
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

    /// Takes over the server's ticks, even if they differ from this clock.
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
    /// The ticks at time zero, if the server was read at the end of the interval.
    fileprivate var earliest: Int64 { ticks - Int64(received.wholeMilliseconds) }
    /// The most by which they may be higher, if the server was read at the start of the interval.
    fileprivate var doubt: Int64 { Int64((received - sent).wholeMilliseconds) + 1 }
  }
#endif
