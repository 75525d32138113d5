import ErrandCore
import ErrandOutbox
import ErrandTesting

/// A deliberate defect of an outbox's world, to check that an invariant finds it.
public enum OutboxDefect: CaseIterable, Sendable {
  case neverResponds
  case neverRests
  case forgetsRequests
  case splitsBursts
  case deliversUnseen
  case deliversTwice
  case forgetsLanes
  case ignoresHolds
  case takesOthersForDead
  case sendsLate
  case believesPortals
  case takesHalves
  case tellsEndsTooSoon
  case sendsTwice
  case changesKeys
  case ignoresWaits
  case expiresTooSoon
  case ignoresPauses
  case neverRetries
  case miscounts
  case losesFiles
  case tellsNobody
  case failsToStore
  case overlooksRows
  case forgetsUploads
  case hurries

  func delayStore() async {
    switch self {
    case .neverResponds: await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    case .neverRests: while true { await Task.yield() }
    default: break
    }
  }

  func spoil(_ rows: [NewRow]) -> [NewRow] {
    switch self {
    case .forgetsRequests: return rows.filter { !$0.id.rawValue.hasSuffix("3") }
    case .splitsBursts: return Array(rows.prefix(1))
    default:
      return rows.map { row in
        var row = row
        switch self {
        case .forgetsLanes: row.lane = nil
        case .ignoresHolds: row.holdsLane = false
        case .expiresTooSoon: if case .after(let lifetime)? = row.expiry { row.expiry = .after(lifetime / 2) }
        default: break
        }
        return row
      }
    }
  }

  func spoil(_ attempts: [FinishedAttempt]) -> [FinishedAttempt] {
    attempts.map { attempt in
      var attempt = attempt
      switch (self, attempt.outcome) {
      case (.deliversTwice, .delivered):
        attempt.outcome = .failed(reason: "", next: .seconds(300), counts: true, wasOffline: false)
      case (.ignoresWaits, .failed(let reason, _, let counts, let wasOffline)):
        attempt.outcome = .failed(reason: reason, next: .zero, counts: counts, wasOffline: wasOffline)
      case (.neverRetries, .failed(let reason, _, let counts, _)):
        attempt.outcome = .failed(reason: reason, next: .longest, counts: counts, wasOffline: false)
      default: break
      }
      return attempt
    }
  }

  func spoil(_ statistics: OutboxStatistics) -> OutboxStatistics {
    var statistics = statistics
    if self == .miscounts { statistics.counts[.delivered, default: 0] += 1 }
    return statistics
  }
}
