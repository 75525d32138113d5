extension OutboxDefect {
  /// The invariant that must find the defect.
  public var invariant: String {
    switch self {
    case .neverResponds: Invariant.noWaitForEver
    case .neverRests: Invariant.rest
    case .forgetsRequests: OutboxInvariant.accepted.name
    case .splitsBursts: OutboxInvariant.bursts.name
    case .deliversUnseen, .believesPortals, .takesHalves: OutboxInvariant.delivered.name
    case .sendsLate: OutboxInvariant.leased.name
    case .deliversTwice: OutboxInvariant.once.name
    case .forgetsLanes: OutboxInvariant.arrivals.name
    case .ignoresHolds: OutboxInvariant.lanes.name
    case .takesOthersForDead: OutboxInvariant.leases.name
    case .sendsTwice: OutboxInvariant.wire.name
    case .changesKeys: OutboxInvariant.keys.name
    case .overlooksRows: OutboxInvariant.attended.name
    case .ignoresWaits: OutboxInvariant.waits.name
    case .expiresTooSoon: OutboxInvariant.expiry.name
    case .ignoresPauses: OutboxInvariant.pauses.name
    case .neverRetries: OutboxInvariant.quiet.name
    case .miscounts: OutboxInvariant.statistics.name
    case .losesFiles: OutboxInvariant.contents.name
    case .tellsNobody, .tellsEndsTooSoon: OutboxInvariant.receipts.name
    case .forgetsUploads: OutboxInvariant.uploads.name
    case .hurries: OutboxInvariant.pace.name
    case .failsToStore: OutboxInvariant.store.name
    }
  }
}
