#if Postgres
  import ErrandCore
  import ErrandOutbox

  /// The time of a store, and the signs of life of its worker.
  extension StoreCore {
    /// The parameter for the time, computed when the statement is sent. Its elements are the ticks, the time
    /// of the wall clock (null for the server's clock), and for how long this worker could hear signs of life
    /// of others.
    var time: PostgresValue {
      .later(.integers) { [self] in
        if let now = settings.time?() { return .integers([now.ticks, now.wall]) }
        let now = link.now
        return clock.withLock { clock in
          .integers([clock.ticks(at: now), nil, clock.following(at: now).storedMilliseconds])
        }
      }
    }

    /// Gives a sign of life, and checks whether the server's clock was set.
    func beat(within limit: Duration) async {
      let isSettled = clock.withLock { [now = link.now] in $0.isSettled(at: now) }
      let confirms = isSettled && settings.time == nil
      guard
        let reading = await read(
          "SELECT ticks, drift FROM errand.beat($1, $2::integer, $3)",
          [time, .integer(owner), .bool(confirms)], within: limit)
      else { return }
      if clock.withLock({ $0.take(reading) }) { return }
      if settings.time == nil, clock.withLock({ $0.corrects(reading) }) {
        let wanted = PostgresValue.later(.integer) { [self] in
          .integer(clock.withLock { [now = link.now] in $0.ticks(at: now) })
        }
        _ = try? await run(
          "SELECT errand.set_clock($1, $2)", [.integer(reading.drift), wanted], isRepeatable: true,
          within: limit)
      }
      guard let set = await read("SELECT ticks, drift FROM errand.read_clock()", [], within: limit) else {
        return
      }
      clock.withLock { $0.follow(set) }
    }

    private func read(
      _ sql: String, _ values: [PostgresValue], within limit: Duration
    ) async -> FleetClock.Reading? {
      let sent = link.now
      guard let row = try? await run(sql, values, isRepeatable: true, within: limit).first else { return nil }
      return FleetClock.Reading(
        sent: sent, received: link.now, ticks: row.integer(0), drift: row.integer(1))
    }
  }
#endif
