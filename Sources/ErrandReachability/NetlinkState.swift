#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Tracks links and routes, and decides when to dump them again.
///
/// The kernel does not report everything: a link that goes down removes its routes without an event. So an
/// event only triggers a dump of all links and then of all routes, and only dumps count. An event during a
/// dump makes it stale, and another dump follows.
///
/// On a machine with many changes, dumps take only a small part of the time. A pause follows each dump. It is
/// ten times as long as the dump, at least 50 ms and at most 10 s. Events during the pause wait for its end.
struct NetlinkState {
  enum Effect: Hashable, Sendable {
    case ask(NetlinkRequest, number: UInt32)
    case tell(NetworkStatus)
    /// Call `wake` after this duration.
    case wake(after: Duration)
    /// The kernel refuses to report. Release everything.
    case giveUp
  }

  private enum Phase {
    /// Waits for an event.
    case idle
    /// Waits for the end of the pause after a dump.
    case resting
    case asking(NetlinkRequest)
    case over
  }

  private static let shortestRest = Duration.milliseconds(50)
  /// A dump may seem to take hours if the machine sleeps meanwhile, so the pause is bounded.
  private static let longestRest = Duration.seconds(10)
  /// Errors of a kernel that is busy, interrupted or short of memory.
  private static let passingErrors = [EBUSY, EINTR, EAGAIN, ENOBUFS, ENOMEM]

  private var map = NetworkMap()
  /// The links and routes of the dump in progress.
  private var draft = NetworkMap()
  private var phase = Phase.idle
  private var isStale = false
  private var number: UInt32 = 0
  /// The time at which the last dump began.
  private var begin = Duration.zero
  private var endOfRest = Duration.zero

  /// Starts a dump, or schedules it: the first dump, or another after lost messages or an event.
  mutating func look(at now: Duration) -> [Effect] {
    switch phase {
    case .idle where now < endOfRest:
      phase = .resting
      return [.wake(after: endOfRest - now)]
    case .idle:
      draft = NetworkMap()
      isStale = false
      begin = now
      return ask(.links)
    case .asking:
      isStale = true
      return []
    case .resting, .over: return []
    }
  }

  /// Ends the pause after a dump.
  mutating func wake(at now: Duration) -> [Effect] {
    guard case .resting = phase else { return [] }
    phase = .idle
    endOfRest = now
    return look(at: now)
  }

  /// Handles a message of the kernel.
  mutating func hear(_ message: NetlinkMessage, at now: Duration) -> [Effect] {
    guard message.isReply else { return isNews(message.content) ? look(at: now) : [] }
    guard case .asking(let request) = phase, message.number == number else { return [] }
    if message.isInconsistent { isStale = true }
    switch message.content {
    case .link(let link): draft.insert(link)
    case .route(let route): draft.insert(route)
    case .end(0): return request == .links ? ask(.routes) : finish(at: now)
    case .end(let error): return fail(error, at: now)
    case .linkGone, .routeGone, .other: break
    }
    return []
  }

  /// Handles a request that the kernel refused, or a dump that it interrupted.
  mutating func fail(_ error: Int32, at now: Duration) -> [Effect] {
    guard Self.passingErrors.contains(error) else {
      phase = .over
      return [.giveUp]
    }
    if case .asking = phase { rest(at: now) }
    return look(at: now)
  }

  private mutating func ask(_ request: NetlinkRequest) -> [Effect] {
    number &+= 1
    phase = .asking(request)
    return [.ask(request, number: number)]
  }

  private mutating func finish(at now: Duration) -> [Effect] {
    map = draft
    rest(at: now)
    return [.tell(map.status)] + (isStale ? look(at: now) : [])
  }

  private mutating func rest(at now: Duration) {
    phase = .idle
    endOfRest = now + min(max(Self.shortestRest, (now - begin) * 10), Self.longestRest)
  }

  /// Returns true if an event requires a dump. Wireless links and routers often repeat themselves, so an
  /// event that changes nothing is ignored.
  private func isNews(_ content: NetlinkMessage.Content) -> Bool {
    // During a dump the new map is unknown, so every event counts.
    if case .asking = phase { return content != .other }
    return switch content {
    case .link(let link): !map.has(link)
    case .linkGone(let index): map.hasLink(index)
    case .route(let route): !map.has(route)
    case .routeGone(let route): route.leadsToServers
    case .end, .other: false
    }
  }
}
