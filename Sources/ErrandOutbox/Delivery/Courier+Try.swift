import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One request is sent, and how that ended is recorded.
extension Courier {
  func deliver(_ claimed: ClaimedRow) async {
    desk.tell([claimed.row])
    let ruling = await ruling(on: claimed)
    let finished = FinishedTry(
      lease: claimed.lease, outcome: desk.outcome(ruling.outcome, of: claimed.row.id))
    let hasReached: Bool? = if case .returned = ruling.outcome { nil } else { ruling.hasReached }
    let now = timeline.now()
    goOn { work in
      work.state.answered(hasReached: hasReached, at: now)
      work.hand.end(finished)
      work.giveBack()
    }
  }

  private func ruling(on claimed: ClaimedRow) async -> DeliveryRule.Ruling {
    do {
      let stored = try desk.request(of: claimed)
      Failpoint.hit(.beforeSend)
      let result = await send(stored, priority: Priority(rawValue: UInt8(clamping: claimed.row.priority)))
      Failpoint.hit(.afterAnswer)
      return desk.ruling(
        on: DeliveryTry(request: stored, number: claimed.row.tries, result: result),
        counted: claimed.row.countedTries)
    } catch {
      return DeliveryRule.Ruling(outcome: .refused(reason: "\(error)", nil), hasReached: true)
    }
  }

  private func send(_ stored: Request, priority: Priority?) async -> Result<Response, any Error> {
    var options = stored.options
    options.retry = .never
    options.redirects = options.redirects ?? configuration.delivery.redirects
    options.priority = priority ?? .default
    // A longer answer is an answer all the same: see `Verdict.standard`.
    options.memoryLimit = max(configuration.answerLimit, 1 << 20)
    var request = stored
    request.options = options
    do {
      return .success(try await client.send(request))
    } catch {
      return .failure(error)
    }
  }

  /// Records what has ended. Does not give up: what a server has accepted must not be sent again because a disk was full for
  /// a moment.
  func record(_ batch: [FinishedTry]) async {
    var pause = Duration.milliseconds(100)
    while true {
      do {
        Failpoint.hit(.beforeRecord)
        let results = try await desk.store.finish(batch, at: configuration.time())
        Failpoint.hit(.afterRecord)
        desk.tell(results.compactMap(\.row))
        await desk.remove(results.flatMap(\.files))
        break
      } catch {
        desk.report(error)
        let isClosed = (error as? OutboxError)?.code == .closed
        let givesUp = work.withLock { work in
          work.state.isStuck = true
          return isClosed || work.isCancelling
        }
        // Its leases end, and it is tried again.
        if givesUp { break }
        try? await timeline.sleep(pause)
        pause = min(pause * 2, .seconds(5))
      }
    }
    goOn { work in
      work.hand.endRecording()
      work.state.recorded(batch.count)
    }
  }
}
