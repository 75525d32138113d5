#if os(Linux)
  import ErrandCore
  import ErrandOutbox
  import ErrandTesting
  import ErrandUploads

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  extension OutboxWorld {
    /// Makes several requests, and enqueues them together.
    func enqueue(_ count: Int, in launch: Launch, _ random: inout SeededRandom) async {
      let asks = ledger.begin(count) { id, burst in ask(id, burst, &random) }
      await enqueue(asks, in: launch)
    }

    /// Enqueues again the requests of which it is unknown whether they are stored.
    func enqueueAgain(in launch: Launch) async {
      let asks = ledger.takeUnknown()
      if !asks.isEmpty { await enqueue(asks, in: launch) }
    }

    private func ask(_ id: Int, _ burst: Int, _ random: inout SeededRandom) -> OutboxAsk {
      let natures = OutboxAsk.Nature.allCases + Array(repeating: .welcome, count: 4)
      var ask = OutboxAsk(
        id: id, nature: natures[Int.random(in: natures.indices, using: &random)], burst: burst)
      ask.host = plan.hosts.randomElement(using: &random) ?? ask.host
      if !random.once(in: 3) { ask.lane = plan.lanes.randomElement(using: &random) }
      if random.once(in: 4) { ask.priority = Priority.allCases.randomElement(using: &random) ?? .default }
      if random.once(in: 5) { ask.lifetime = random.milliseconds(500...30_000) }
      ask.isFile = random.once(in: 6)
      if random.once(in: 3) { ask.resuming = random.resumption() }
      return ask
    }

    private func enqueue(_ asks: [OutboxAsk], in launch: Launch) async {
      let mark = ledger.mark
      do {
        let receipts = try await launch.outbox.enqueue(asks.map { $0.item(try file(of: $0)) })
        ledger.note(asks, .accepted)
        for receipt in receipts { follow(receipt, since: mark, in: launch) }
      } catch {
        ledger.note("\(launch.process.name) could not store #\(asks[0].burst): \(error)")
        ledger.note(asks, launch.process.isGone ? .unknown : .refused)
      }
      // The outbox has a copy by now, or has stored nothing.
      for ask in asks where ask.isFile { try? FileManager.default.removeItem(at: source(of: ask)) }
    }

    private func source(of ask: OutboxAsk) -> URL { folder.appending(path: "source-\(ask.id)") }

    private func file(of ask: OutboxAsk) throws -> URL? {
      guard ask.isFile else { return nil }
      let file = source(of: ask)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(ask.text.utf8).write(to: file)
      return file
    }

    // MARK: Following

    /// - Parameter mark: The ledger's mark before the receipt was requested.
    private func follow(_ receipt: Receipt, since mark: Int, in launch: Launch) {
      let (ledger, process) = (ledger, launch.process)
      let follow = ledger.follow(receipt.id, since: mark, in: process.name)
      let events = receipt.events
      process.begin {
        for await event in events { ledger.hear(event, follow) }
        ledger.endFollow(follow, process.isEnding ? .cut : .over)
        withExtendedLifetime(receipt) {}
      }
    }

    /// Follows a request that was stored a while ago, perhaps by another process.
    func followOld(in launch: Launch, _ random: inout SeededRandom) async throws {
      let mark = ledger.mark
      guard let record = ledger.asks.randomElement(using: &random),
        let receipt = try await launch.outbox.receipt(for: record.ask.row)
      else { return }
      follow(receipt, since: mark, in: launch)
    }

    // MARK: Changing

    func selection(_ random: inout SeededRandom) -> OutboxSelection {
      var selection = OutboxSelection(states: random.once(in: 2) ? [.deadLettered] : nil)
      if random.once(in: 2) { selection.lane = plan.lanes.randomElement(using: &random).map { .named($0) } }
      if random.once(in: 2), let ask = ledger.asks.randomElement(using: &random) {
        selection.ids = [ask.ask.row]
      }
      return selection
    }

    func pauseAndResume(in launch: Launch, _ random: inout SeededRandom) async throws {
      let lane = random.once(in: 3) ? nil : plan.lanes.randomElement(using: &random)
      try await launch.outbox.pause(lane: lane)
      await pause(random.milliseconds(100...10_000))
      try await launch.outbox.resume(lane: lane)
    }
  }

  extension SeededRandom {
    fileprivate mutating func resumption() -> UploadResumption {
      let all = [UploadResumption.automatic, .ietf, .tus]
      var resumption = all[Int.random(in: all.indices, using: &self)]
      if once(in: 2) { resumption.maxRequestSize = Int64.random(in: 2...6, using: &self) }
      resumption.isVerified = once(in: 4)
      return resumption
    }
  }
#endif
