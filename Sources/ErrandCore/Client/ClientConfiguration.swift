#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// How a client treats requests that do not say otherwise.
public struct ClientConfiguration: Sendable {
  /// Fields that every request is sent with, unless it has its own of that name.
  public var fields: HTTPFields = ["User-Agent": "Errand/\(Version.current)"]
  /// A try ends when nothing moved for this long: no connection made, no byte out, no byte in. Default: 10 s.
  public var timeout: Duration = .seconds(10)
  /// The whole call, with all its tries, ends after this time. Default: none.
  public var deadline: Duration?
  /// Which failures are tried again, how often and when.
  public var retry = RetryPolicy()
  /// How many retries the client makes in all, so that a server in trouble is not stormed.
  public var retryBudget = RetryBudget()
  /// How many requests are on the wire at once, and who goes first. `Client.limits` changes it while the client runs.
  public var limits = ConcurrencyLimits()
  /// Where answers are kept that are to be (`Request.kept(as:_:)`). Default: in memory, 20 MiB.
  public var answers: any AnswerStore = MemoryAnswerStore()
  /// Is told when an answer could not be kept or looked for; the request itself goes on without.
  public var onAnswerStoreFailure: (@Sendable (any Error) -> Void)?
  /// Who requests are sent as, if their own fields do not say so (a token that an interceptor adds, a cookie of the
  /// transport's): interceptors run after responses are shared and looked up, so what they add cannot be compared.
  /// Answers are shared and kept only among requests of one identity; nil is one as well.
  public var identity: (@Sendable () -> String?)?
  /// Where redirects may lead.
  public var redirects = RedirectPolicy()
  /// The most bytes of one answer that `send` keeps in memory. Default: 64 MiB.
  public var memoryLimit = 64 << 20
  /// What no description may show, and no other origin may see.
  public var secrets = Secrets()
  /// Around each call, outermost first.
  public var interceptors: [any Interceptor] = []
  /// Around each try, outermost first.
  public var attemptInterceptors: [any Interceptor] = []
  /// What waits are measured with.
  public var clock: any Clock<Duration> = ContinuousClock()
  /// The wall clock, for dates that servers send.
  public var date: @Sendable () -> Date = { Date() }
  /// Where the jitter comes from.
  public var random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()

  public init() {}
}
