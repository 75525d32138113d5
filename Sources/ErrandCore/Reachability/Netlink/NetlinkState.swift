#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What is known of links and routes, and when to ask for it anew.
///
/// The kernel does not tell everything: a link that goes down takes its routes along without a word. So an event is a
/// reason to ask, and the answers are what counts. They are the whole truth: all links, then all routes. An event that
/// comes while they are given makes them stale, and so it is asked again.
///
/// On a machine with much coming and going, asking takes a small part of the time only: then comes a rest, ten times as
/// long as asking took, 50 ms at least and 10 s at most. What happens meanwhile waits for its end.
struct NetlinkState {
  enum Effect: Hashable, Sendable {
    case ask(NetlinkRequest, number: UInt32)
    case tell(NetworkStatus)
    /// Call `wake` after this time.
    case wake(after: Duration)
    /// The kernel does not tell. Let go of everything.
    case giveUp
  }

  private enum Phase {
    /// Until something happens.
    case idle
    /// Until the rest is over.
    case resting
    case asking(NetlinkRequest)
    case over
  }

  private static let shortestRest = Duration.milliseconds(50)
  /// Asking may seem to take hours, on a machine that slept meanwhile.
  private static let longestRest = Duration.seconds(10)
  /// The kernel was busy, interrupted or short of room.
  private static let passingErrors = [EBUSY, EINTR, EAGAIN, ENOBUFS, ENOMEM]

  private var map = NetworkMap()
  /// What the answers have told so far.
  private var draft = NetworkMap()
  private var phase = Phase.idle
  private var isStale = false
  private var number: UInt32 = 0
  /// When the last asking began.
  private var begin = Duration.zero
  private var endOfRest = Duration.zero

  /// Asks for the first time, or again because something was lost.
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

  /// The rest is over.
  mutating func wake(at now: Duration) -> [Effect] {
    guard case .resting = phase else { return [] }
    phase = .idle
    endOfRest = now
    return look(at: now)
  }

  /// The kernel has said something.
  mutating func hear(_ message: NetlinkMessage, at now: Duration) -> [Effect] {
    guard message.isAnswer else { return isNews(message.content) ? look(at: now) : [] }
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

  /// The kernel refused a request, or cut its answer short.
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

  /// Wireless links and routers repeat themselves often. What changes nothing is no reason to ask.
  private func isNews(_ content: NetlinkMessage.Content) -> Bool {
    // What the map will be is not known while answers come.
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
