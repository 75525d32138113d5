#if os(Linux)
  import ErrandCore
  import ErrandOutbox
  import ErrandTesting

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  extension OutboxWorld {
    /// Faults end, and time passes until all is delivered or told. Then everybody ends.
    func settle(_ anchor: SQLiteOutboxStore) async throws -> OutboxEvidence {
      ledger.note("from now on all is well")
      for launch in launches { launch.process.thaw() }
      network.change(to: NetworkConditions())
      server.recover()
      reachability.set(.online)
      let keeper = await launch("keeper")
      try await keeper?.outbox.resume()
      for lane in plan.lanes { try await keeper?.outbox.resume(lane: lane) }
      var time = Duration.seconds(10)
      while time < .seconds(20_000) {
        await pause(time)
        time *= 2
        // A lane waits for them.
        if plan.lanePolicy == .hold { try await keeper?.outbox.drop(OutboxSelection(states: [.setAside])) }
        let counts = try await anchor.statistics().counts
        if counts[.stored, default: 0] + counts[.trying, default: 0] == 0 { break }
      }
      // Longer than any lease, and than the time between two looks.
      await pause(.seconds(70))
      let waiting = ledger.follows.filter { $0.end == nil }
      for launch in launches { await launch.close(within: .seconds(10)) }
      forget()
      await pause(.seconds(60))
      let inFlight = network.inFlight
      // It sweeps.
      let inspector = await launch("inspector", delivers: false)
      let entries = try await inspector?.outbox.list(limit: .max) ?? []
      let contents = try await anchor.contents(of: entries.map(\.id))
      let answers = try await anchor.rows(entries.map(\.id)).map { Int64($0?.answer?.count ?? 0) }
      let statistics = try await anchor.statistics()
      // Not before it has swept.
      await inspector?.close(within: .seconds(10))
      let files = try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "files").path)
      forget()
      await pause(.seconds(60))
      return OutboxEvidence(
        self, entries: entries, answers: answers, statistics: defect?.spoil(statistics) ?? statistics,
        contents: Set(zip(entries, contents).filter { $1 != nil }.map(\.0.id)), files: files ?? [],
        waiting: waiting, inFlight: inFlight)
    }
  }
#endif
