public import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A network and the servers behind it, out of numbers: it takes its time on the clock that it is given, loses, breaks
/// and delays as its conditions say, and writes down everything. The same seed and the same requests, in the same order,
/// have the same fate.
///
/// ```swift
/// let clock = VirtualClock()
/// let network = SimulatedNetwork(clock: clock, random: SeededRandom(seed: 7), conditions: .bad)
/// let client = Client(transport: network, configuration: configuration)
/// network.partition(for: .seconds(30))
/// ```
public final class SimulatedNetwork: Transport {
  /// Answers what has arrived.
  public typealias Server = @Sendable (SimulatedTry) -> SimulatedAnswer

  private let timeline: Timeline
  /// Those of hosts that have their own, and of all others under the empty name.
  private let conditions: Locked<[String: NetworkConditions]>
  private let server: Server
  private let state: Locked<NetworkState>

  /// - Parameters:
  ///   - clock: What everything is measured with.
  ///   - random: Decides what becomes of each try.
  ///   - conditions: What goes wrong how often. Default: nothing.
  ///   - server: Answers. Default: 200, without a body.
  public init(
    clock: any Clock<Duration>, random: SeededRandom, conditions: NetworkConditions = NetworkConditions(),
    server: @escaping Server = { _ in SimulatedAnswer() }
  ) {
    timeline = Timeline(clock)
    state = Locked(NetworkState(random))
    self.conditions = Locked(["": conditions])
    self.server = server
  }

  // MARK: What it saw

  /// Every try, in the order in which they began.
  public var tries: [SimulatedTry] { state.withLock { $0.tries } }
  /// How many tries are in flight. One that was called off is not.
  public var inFlight: Int { state.withLock { $0.inFlight } }
  /// The most tries that were in flight at once.
  public var mostInFlight: Int { state.withLock { $0.mostInFlight } }
  /// The tries to each host.
  public var hosts: [String: HostLoad] { state.withLock { $0.hosts } }
  /// When it was shut down.
  public var shutDownTime: Duration? { state.withLock { $0.shutDown } }
  /// The time since it was made, on its clock.
  public var now: Duration { timeline.now() }

  /// From now on and for so long nothing passes to or from these hosts. What was on its way is sent again after it, if
  /// somebody still waits by then.
  /// - Parameter hosts: Default: all.
  public func partition(from hosts: Set<String>? = nil, for duration: Duration) {
    let now = timeline.now()
    state.withLock { $0.part(from: hosts, now..<(now + duration)) }
  }

  /// From now on, this goes wrong with those tries that begin, to whatever host.
  public func change(to conditions: NetworkConditions) { self.conditions.withLock { $0 = ["": conditions] } }

  /// From now on, this goes wrong with those tries to one host that begin.
  public func change(to conditions: NetworkConditions, for host: String) {
    self.conditions.withLock { $0[host] = conditions }
  }

  // MARK: Transport

  public func perform(_ exchange: Exchange) async throws -> TransferResult {
    let (now, host) = (timeline.now(), exchange.request.url.host() ?? "")
    let conditions = conditions.withLock { $0[host] ?? $0[""] } ?? NetworkConditions()
    let (index, plan) = state.withLock { $0.begin(exchange.request, conditions, at: now) }
    let task = Task { [self] in
      try await Passage(exchange, index, plan, on: self).perform()
    }
    let id = exchange.onCancel { [self] in
      end(index, .calledOff)
      task.cancel()
    }
    defer { exchange.removeCancelHandler(id) }
    do {
      let result = try await task.value
      end(index, .answered(result.head.status))
      return result
    } catch {
      end(index, (error as? RequestError).map { .failed($0.code) } ?? .calledOff)
      throw error
    }
  }

  public func shutdown() async {
    let now = timeline.now()
    state.withLock { $0.shutDown(at: now) }
  }

  private func end(_ index: Int, _ end: SimulatedTry.End) {
    let now = timeline.now()
    state.withLock { $0.end(index, end, at: now) }
  }

  // MARK: For a passage

  func sleep(until end: Duration) async throws { try await timeline.sleep(end - timeline.now()) }

  func arrival(after latency: Duration, host: String) -> Duration {
    let now = timeline.now()
    return state.withLock { $0.arrival(of: now, after: latency, host: host) }
  }

  func sent(_ index: Int, _ body: Data) { state.withLock { $0.sent(index, body) } }

  func arrived(_ index: Int, _ answer: ResponseHead) { state.withLock { $0.arrived(index, answer) } }

  /// The request is with the server, which answers it.
  func answer(_ index: Int) -> SimulatedAnswer {
    let now = timeline.now()
    return server(state.withLock { $0.seen(index, at: now) })
  }
}
