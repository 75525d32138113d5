import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Records the ends of attempts.
extension BackgroundDelivery {
  /// Records the end that `HandoverState` has chosen, with the response that was reported last.
  func record(_ lease: Lease) async {
    do {
      var isOver = false
      if let (finished, told) = try await finished(lease) {
        outbox.hub.remember(told, of: lease.id)
        let results = try await store.finish([finished])
        outbox.hub.recorded.withLock { $0.add([finished], results) }
        outbox.hub.publish(results.compactMap(\.row))
        outbox.hub.forgetResponses(of: [lease.id])
        await outbox.storage.blobs.remove(results.flatMap(\.files))
        isOver = results.contains { $0.row.map { !$0.state.isOpen } ?? false }
      }
      apply { [isOver] state in
        defer { state.dropEnd(of: lease) }
        return state.handover.recorded(lease, isDone: true, isOver: isOver)
      }
      if state.withLock({ $0.handover.requests[lease] == nil }) { await files.remove(lease) }
      if state.withLock({ $0.isForeground == true }) { outbox.dispatcher.look() }
    } catch {
      if endIfClosed(error) { return }
      try? await timeline.sleep(Self.pause)
      apply { $0.handover.recorded(lease, isDone: false) }
    }
  }

  /// Returns the attempt to record; nil if the request has ended already.
  private func finished(_ lease: Lease) async throws -> (FinishedAttempt, told: OutboxResponse?)? {
    let (stage, end) = state.withLock { ($0.handover.requests[lease], $0.ends[lease]) }
    guard case .recording(let handed, _) = stage else { return nil }
    guard let row = try await store.row(lease.id), row.state.isOpen || row.state == .deadLettered else {
      return nil
    }
    switch handed {
    case .cancelled(hasBegun: false): return (FinishedAttempt(lease: lease, outcome: .returned), nil)
    case .cancelled(hasBegun: true):
      return (
        failed(
          lease, row, "its attempt in the background was cancelled, but the server may have received it"), nil
      )
    case .lost: return (failed(lease, row, "its attempt in the background has no known end"), nil)
    case .finished: break
    }
    guard let end, let content = try await store.contents(of: [lease.id])[0] else {
      return (failed(lease, row, "its attempt in the background has no known end"), nil)
    }
    return try await concluded(lease, row, content, end)
  }

  private func concluded(
    _ lease: Lease, _ row: OutboxRow, _ content: Data, _ end: AttemptEnd
  ) async throws -> (FinishedAttempt, told: OutboxResponse?) {
    let request: Request
    do {
      request = try outbox.storage.request(from: content, of: lease.id)
    } catch  where error.isOfProgram {
      return (failed(lease, row, error.message, counts: false), nil)
    } catch {
      return (FinishedAttempt(lease: lease, outcome: .rejected(reason: "\(error)", response: nil)), nil)
    }
    if case .told(.failure(.fileUnreadable, let message, _)) = end {
      // The stored body exists: only the copy that the session had cannot be read.
      return (
        failed(lease, row, "its body was missing when the session sent it: \(message)", counts: false), nil
      )
    }
    let result = await result(of: end, to: request)
    if case .failure(let error) = result, let problem = error as? OutboxError {
      // The body could not be written to a file, so no server has received the request.
      return (failed(lease, row, problem.message, counts: false), nil)
    }
    var random = outbox.random
    let conclusion = outbox.dispatcher.rule.conclusion(
      on: outbox.dispatcher.attempt(of: request, row, result),
      counted: row.countedAttempts,
      date: outbox.configuration.date(), random: &random)
    let outcome = conclusion.outcome.map { outbox.storage.wrapped(response: $0.encoded(), of: lease.id) }
    var finished = FinishedAttempt(lease: lease, outcome: outcome)
    let storage = outbox.storage
    if let change = conclusion.sign.change(outbox.configuration.delivery),
      let address = storage.originAddress(from: content, of: lease.id)
    {
      finished.news = OriginNews(
        origin: storage.originName(of: address), change: change, label: storage.originLabel(of: address))
      if case .hold(_, _, let length) = change { finished.outcome.wait(longerThan: length) }
    }
    return (finished, conclusion.told)
  }

  /// Returns the result of an attempt as `Client.send` would: a response passes every stage of the client.
  private func result(of end: AttemptEnd, to request: Request) async -> Result<Response, any Error> {
    switch end {
    case .known(let result): return result
    case .told(.cancelled):
      return .failure(RequestError(.connectionLost, message: "its task was cancelled", reachedServer: true))
    case .told(.failure(let code, let message, let reachedServer)):
      return .failure(RequestError(code, message: message, reachedServer: reachedServer))
    case .told(.response(let response)):
      let sent = outbox.dispatcher.request(request, priority: nil, deadline: nil)
      let redirects = sent.options.redirects ?? outbox.configuration.delivery.redirects
      if let problem = HandoverRule(redirects: redirects).problem(with: response, to: request) {
        return .failure(problem)
      }
      let transport = RecordedTransport(response)
      do {
        let result = try await outbox.dispatcher.client.send(sent, over: transport)
        // `classify` needs the URL that responded.
        return .success(
          Response(status: result.status, fields: result.fields, data: result.data, url: response.url))
      } catch {
        if transport.isTaken { return .failure(error) }
        // A stage failed before it asked for the response: a credential cannot be refreshed any more, or the
        // body is gone. The server has responded all the same.
        return Result {
          try sent.validated(
            Response(status: response.status, fields: response.fields, data: response.body, url: response.url)
          )
        }
      }
    }
  }

  private func failed(
    _ lease: Lease, _ row: OutboxRow, _ reason: String, counts: Bool = true
  ) -> FinishedAttempt {
    let policy = outbox.configuration.delivery
    var random = outbox.random
    let next = Duration.jitter(
      after: max(1, row.attempts), backoff: policy.backoff, most: policy.maxBackoff, using: &random)
    return FinishedAttempt(
      lease: lease, outcome: .failed(reason: reason, next: next, counts: counts, wasOffline: false))
  }
}

extension OriginSign {
  /// The change of the origin that a session's attempt caused, for every process. Failures on the way are
  /// ignored, because the session waits for the network by itself.
  fileprivate func change(_ policy: DeliveryPolicy) -> OriginNews.Change? {
    switch self {
    case .busy(let reason, let length): .hold(.busy, reason: reason, for: length)
    case .unauthorized(let reason), .withoutCredential(let reason):
      .hold(.unauthorized, reason: reason, for: policy.backoff)
    case .responded: .release
    case .failed, .overRate, .none: nil
    }
  }
}
