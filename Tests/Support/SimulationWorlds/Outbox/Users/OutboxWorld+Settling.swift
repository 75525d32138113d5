#if os(Linux)
  import ErrandCore
  import ErrandOutbox
  import ErrandOutboxSQLite
  import ErrandReachability
  import ErrandTesting
  import SimulationExecutor

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  extension OutboxWorld {
    /// Ends all faults, lets time pass until all requests have ended, and ends all processes.
    func settle(_ anchor: SQLiteOutboxStore) async throws -> OutboxEvidence {
      ledger.note("from now on nothing fails")
      for launch in launches { launch.process.thaw() }
      network.change(to: NetworkConditions())
      server.recover()
      reachability.set(.online)
      let keeper = await launch("keeper")
      try await keeper?.outbox.resume()
      for lane in plan.lanes { try await keeper?.outbox.resume(lane: lane) }
      let attendance = try await attend(anchor)
      var time = Duration.seconds(10)
      while time < .seconds(20_000) {
        await pause(time)
        time *= 2
        // Under `.block` a lane waits for its dead letters, and the request behind one may soon be the next.
        if plan.lanePolicy == .block,
          try await keeper?.outbox.drop(OutboxSelection(states: [.deadLettered])).isEmpty == false
        {
          time = .seconds(10)
        }
        let counts = try await anchor.statistics().counts
        if counts[.stored, default: 0] + counts[.attempting, default: 0] == 0 { break }
      }
      // Longer than any lease, and than any poll interval.
      await pause(.seconds(70))
      let waiting = ledger.follows.filter { $0.end == nil }
      for launch in launches { await launch.close(within: .seconds(10)) }
      forget()
      await pause(.seconds(60))
      let inFlight = network.inFlight
      // Opening sweeps leftover files.
      let inspector = await launch("inspector", delivers: false)
      let entries = try await inspector?.outbox.list(limit: .max) ?? []
      let contents = try await anchor.contents(of: entries.map(\.id))
      let responses = try await anchor.rows(entries.map(\.id)).map { Int64($0?.response?.count ?? 0) }
      let statistics = try await anchor.statistics()
      // Closing waits for the sweep.
      await inspector?.close(within: .seconds(10))
      let files = try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "files").path)
      forget()
      await pause(.seconds(60))
      return OutboxEvidence(
        self, entries: entries, responses: responses, statistics: defect?.spoil(statistics) ?? statistics,
        contents: Set(zip(entries, contents).filter { $1 != nil }.map(\.0.id)), files: files ?? [],
        waiting: waiting, unattended: attendance.violations, inFlight: inFlight)
    }

    /// Checks every second, until no request is open or a minute has passed.
    private func attend(_ anchor: SQLiteOutboxStore) async throws -> Attendance {
      var attendance = Attendance(plan.lanePolicy, plan.rate)
      for _ in 0..<60 {
        await pause(.seconds(1))
        let rows = try await anchor.list(.all, after: 0, limit: .max)
        guard rows.contains(where: \.state.isOpen) else { break }
        let held = Set(try await anchor.statistics().heldOrigins.map(\.origin))
        let last = Dictionary(ledger.steps.filter { $0.state != nil }.map { ($0.row, $0) }) { $1 }
        attendance.look(at: rows, last, held: held, machine.time, now: simulation.clock.now.offset)
      }
      return attendance
    }
  }
#endif
