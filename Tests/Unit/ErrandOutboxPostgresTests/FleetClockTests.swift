#if Postgres
  import Testing

  @testable import ErrandOutboxPostgres

  /// Ticks by a process's clock. The server's are 100,000 ahead of it at first.
  @Suite struct FleetClockTests {
    private var clock = FleetClock(Self.reading(10, 20, ticks: 100_015), absence: .seconds(30))

    private static func reading(_ sent: Int, _ received: Int, ticks: Int64) -> FleetClock.Reading {
      FleetClock.Reading(sent: .milliseconds(sent), received: .milliseconds(received), ticks: ticks)
    }

    private static func takes(_ clock: inout FleetClock, _ reading: FleetClock.Reading) -> Bool {
      clock.take(reading)
    }

    @Test func `ticks are never ahead of the server's`() {
      #expect(clock.ticks(at: .milliseconds(20)) == 100_015)
      #expect(clock.ticks(at: .seconds(7200)) == 7_299_995)
    }

    @Test(arguments: [-3_600_000, -600, 600, 7_200_000])
    func `the reading of a server whose clock was set is ignored`(by change: Int64) {
      var clock = clock
      #expect(!Self.takes(&clock, Self.reading(8000, 8010, ticks: 108_005 + change)))
      #expect(clock.ticks(at: .milliseconds(8010)) == 108_005)
    }

    @Test func `a slow reading says nothing about the server's clock`() {
      var clock = clock
      #expect(Self.takes(&clock, Self.reading(8000, 48_000, ticks: 108_000)))
      #expect(Self.takes(&clock, Self.reading(50_000, 90_000, ticks: 189_999)))
      #expect(clock.ticks(at: .milliseconds(90_000)) >= 189_500)
    }

    @Test func `a server whose clock runs a little faster is followed`() {
      var clock = clock
      for beat in 1...10_000 {
        let time = beat * 7500
        let isTaken = clock.take(Self.reading(time, time + 2, ticks: 100_000 + Int64(time) + Int64(beat * 4)))
        #expect(isTaken)
      }
      #expect(clock.ticks(at: .milliseconds(75_000_002)) >= 75_139_990)
    }

    @Test func `heartbeats from before a gap do not count`() {
      var clock = clock
      #expect(clock.following(at: .milliseconds(5020)) == .seconds(5))
      #expect(!clock.isSettled(at: .milliseconds(5020)) && clock.isSettled(at: .milliseconds(15_020)))
      #expect(clock.following(at: .milliseconds(15_021)) == .zero)
      #expect(Self.takes(&clock, Self.reading(40_000, 40_010, ticks: 140_005)))
      #expect(clock.following(at: .milliseconds(41_010)) == .seconds(1))
      #expect(clock.isSettled(at: .milliseconds(41_010)))
      #expect(Self.takes(&clock, Self.reading(50_000, 50_010, ticks: 150_005)))
      #expect(clock.following(at: .milliseconds(51_010)) == .seconds(11))
    }

    @Test func `a clock that has just started corrects the server's, unless another one has`() {
      func reading(at second: Int, drift: Int64) -> FleetClock.Reading {
        var reading = Self.reading(second * 1000, second * 1000 + 1, ticks: 9_000_000)
        reading.drift = drift
        return reading
      }
      var clock = clock
      #expect(clock.corrects(reading(at: 1, drift: 0)) && !clock.corrects(reading(at: 1, drift: 5)))
      #expect(clock.corrects(reading(at: 16, drift: 5)))
      clock.follow(reading(at: 1, drift: 5))
      #expect(clock.corrects(reading(at: 2, drift: 5)) && !clock.corrects(reading(at: 2, drift: 0)))
    }

    @Test func `a clock follows the server on request`() {
      var clock = clock
      clock.follow(Self.reading(1000, 1010, ticks: 9_000_000))
      #expect(clock.ticks(at: .milliseconds(1010)) == 9_000_000)
      #expect(Self.takes(&clock, Self.reading(2000, 2001, ticks: 9_000_991)))
    }
  }
#endif
