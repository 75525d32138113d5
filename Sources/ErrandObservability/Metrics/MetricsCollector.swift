import ErrandCore

/// Counts a client's calls (`ClientConfiguration.collectsMetrics`).
final class MetricsCollector: EventListener {
  private let state = Locked(MetricsState())

  init() {}

  func metrics(at now: Duration) -> ClientMetrics { state.withLock { $0.snapshot(at: now) } }

  func record(_ event: CallEvent) {
    recordRequest(event)
    // A second attempt is a part of another call, which is counted.
    if event.purpose == .hedge { return }
    // So is a shared request a part of the calls that share it.
    if event.purpose != .sharing { recordCall(event) }
    switch event.kind {
    case .cacheDecided(let decision):
      guard let outcome = ClientMetrics.CacheOutcome(decision) else { return }
      state.withLock { $0.count { $0.cache[outcome, default: 0] += 1 } }
    case .hedged: state.withLock { $0.count { $0.hedges += 1 } }
    case .retrying: state.withLock { $0.count { $0.retries += 1 } }
    default: break
    }
  }

  private func recordCall(_ event: CallEvent) {
    let call = event.call
    switch event.kind {
    case .started:
      let now = event.time
      state.withLock { $0.started(call, at: now) }
    case .waiting: state.withLock { $0.waits(call) }
    case .waited: state.withLock { $0.waited(call) }
    case .coalesced: if !event.beganSharing { state.withLock { $0.count { $0.coalesced += 1 } } }
    case .finished: end(event, .finished)
    case .failed: end(event, .failed)
    case .cancelled: end(event, .cancelled)
    default: break
    }
  }

  private func recordRequest(_ event: CallEvent) {
    let call = event.call
    switch event.kind {
    case .attemptStarted(let request):
      let (method, origin) = (HTTPSpan.attribute(of: request.method), request.origin)
      state.withLock { $0.sent(call, method: method, origin: origin) }
    case .resent: state.withLock { $0.count { $0.attempts += 1 } }
    case .responded(let response):
      let result = ClientMetrics.RequestResult(response.status)
      state.withLock { $0.requestEnded(call, result) }
    case .redirected: state.withLock { $0.requestEnded(call, .redirection) }
    case .attemptFailed(let failure):
      let result =
        failure.status.map { ClientMetrics.RequestResult($0) }
        ?? (failure.code == .cancelled ? .cancelled : .failed)
      state.withLock { $0.requestEnded(call, result) }
    case .failed: state.withLock { $0.requestEnded(call, .failed) }
    case .cancelled, .overtaken, .finished: state.withLock { $0.requestEnded(call, .cancelled) }
    default: break
    }
  }

  private func end(_ event: CallEvent, _ outcome: ClientMetrics.Outcome) {
    let (now, origin) = (event.time, event.request.origin)
    state.withLock { $0.ended(event.call, outcome, origin: origin, at: now) }
  }
}

extension ClientMetrics.CacheOutcome {
  /// Returns nil for a decision that only completes an earlier one.
  init?(_ decision: CacheDecision) {
    switch decision {
    case .missing: self = .miss
    case .stale: self = .stale
    case .hit, .hitAndRenew: self = .hit
    case .fallback: self = .fallback
    case .http(let status) where status.forwardStatus != nil: return nil
    case .http(let status):
      self = status.isHit ? .hit : [.stale, .request].contains(status.forward) ? .stale : .miss
    }
  }
}
