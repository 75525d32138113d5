import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A deliberate defect of a world, to check that an invariant finds it.
public enum Defect: CaseIterable, Sendable {
  case neverResponds
  case respondsTwice
  case neverRests
  case ignoresDeadlines
  case isSlowToShutDown
  case respondsByItself
  case isSlowToStop
  case sendsAgainLater
  case attemptsTooOften
  case repeatsPosts
  case forgetsDependencies
  case keepsRequests
  case forgetsScope
  case endsTooMuch
  case handsOverTwice
  case ignoresNothing
  case sharesNothing
  case sharesTooLong
  case neverAbandons
  case deliversOvertaken
  case passesLimits
  case takesReservedSlots
  case losesSlots
  case confusesReaders
  case neverStale
  case forgetsChanges
  case skipsEvents
  case listensOn
  case forgetsWrites
  case waitsForNothing
  case hurries
  case sendsTwice

  func spoil(_ configuration: inout ClientConfiguration, _ clock: VirtualClock) {
    switch self {
    case .neverResponds, .neverRests, .respondsByItself, .sendsAgainLater, .keepsRequests, .sendsTwice,
      .skipsEvents, .listensOn:
      configuration.interceptors.append(Spoiling(defect: self, clock: clock))
    case .passesLimits: configuration.limits.total = configuration.limits.total.map { $0 + 1 }
    case .hurries: configuration.rateLimits = RateLimits()
    case .takesReservedSlots: configuration.limits.reserved = 0
    default: break
    }
  }

  func spoil(_ transport: any Transport, _ clock: VirtualClock) -> any Transport {
    self == .isSlowToStop ? SlowToStop(transport: transport, clock: clock) : transport
  }

  func spoil(_ cache: any ResponseCache, _ date: @escaping @Sendable () -> Date) -> any ResponseCache {
    switch self {
    case .confusesReaders, .neverStale, .forgetsChanges: SpoiledCache(cache, self, date: date)
    default: cache
    }
  }

  func spoil(_ request: Request, of ask: Ask) -> Request {
    var request = request
    var policy = request.options.retry ?? RetryPolicy()
    switch (self, ask.rule) {
    case (.ignoresDeadlines, _): request.options.deadline = nil
    case (.attemptsTooOften, _): policy.maxAttempts += 1
    case (.repeatsPosts, _): policy.methods.insert(.post)
    case (.ignoresNothing, .ignoring), (.sharesNothing, .sharing), (.deliversOvertaken, .latest):
      request.options.repeats = nil
    case (.sharesTooLong, .sharing(_, let policy)):
      request = request.shared(
        within: .seconds(60), failures: policy.failures, whenAbandoned: policy.whenAbandoned)
    case (.neverAbandons, .sharing(_, let policy)):
      request = request.shared(within: policy.window, failures: policy.failures, whenAbandoned: .finishes)
    default: break
    }
    return request.retry(policy)
  }
}
