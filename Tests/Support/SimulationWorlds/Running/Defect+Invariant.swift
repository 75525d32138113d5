extension Defect {
  /// The invariant that must find the defect.
  public var invariant: String {
    switch self {
    case .neverResponds: Invariant.noWaitForEver
    case .neverRests: Invariant.rest
    case .respondsTwice: Invariant.oneOutcome.name
    case .ignoresDeadlines: Invariant.deadlines.name
    case .isSlowToShutDown: Invariant.shutdown.name
    case .respondsByItself: Invariant.genuineResponses.name
    case .isSlowToStop: Invariant.callingOff.name
    case .sendsAgainLater: Invariant.silenceAfter.name
    case .attemptsTooOften, .repeatsPosts: Invariant.retries.name
    case .forgetsDependencies: Invariant.dependencies.name
    case .forgetsScope: Invariant.scopes.name
    case .endsTooMuch: Invariant.callingOff.name
    case .handsOverTwice: Invariant.owners.name
    case .ignoresNothing: Invariant.ignoring.name
    case .sharesNothing: Invariant.sharing.name
    case .sharesTooLong: Invariant.shared.name
    case .neverAbandons: Invariant.abandonment.name
    case .deliversOvertaken: Invariant.latest.name
    case .passesLimits: Invariant.limits.name
    case .takesReservedSlots: Invariant.reservedSlots.name
    case .losesSlots, .keepsRequests: Invariant.quiet.name
    case .confusesReaders: Invariant.cachedResponses.name
    case .neverStale: Invariant.freshness.name
    case .forgetsChanges: Invariant.changes.name
    case .skipsEvents: Invariant.listening.name
    case .listensOn: Invariant.streamsEnd.name
    case .forgetsWrites: Invariant.writes.name
    case .waitsForNothing: Invariant.waiting.name
    case .hurries: Invariant.pace.name
    case .sendsTwice: Invariant.hedging.name
    }
  }
}
