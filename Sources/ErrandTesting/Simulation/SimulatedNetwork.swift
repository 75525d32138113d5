public import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A transport that simulates a network and its servers. By its conditions it delays, breaks and loses
/// attempts, on the given clock, and it records all of them. The same seed and the same requests in the same
/// order have the same outcomes.
///
/// ```swift
/// let clock = VirtualClock()
/// let network = SimulatedNetwork(clock: clock, random: SeededRandom(seed: 7), conditions: .bad)
/// let client = Client(transport: network, configuration: configuration)
/// network.partition(for: .seconds(30))
/// ```
public final class SimulatedNetwork: Transport {
  /// Returns the response to a request that the server has received.
  public typealias Server = @Sendable (SimulatedAttempt) -> SimulatedResponse

  private let timeline: Timeline
  /// The conditions by host. The empty key has the conditions of all other hosts.
  private let conditions: Locked<[String: NetworkConditions]>
  private let server: Server
  private let state: Locked<NetworkState>

  /// Creates a network.
  /// - Parameters:
  ///   - clock: The clock for all times.
  ///   - random: Chooses the delays and the outcome of each attempt.
  ///   - conditions: The latencies and faults. Default: no faults.
  ///   - server: Returns the responses. Default: 200 without a body.
  public init(
    clock: any Clock<Duration>, random: SeededRandom, conditions: NetworkConditions = NetworkConditions(),
    server: @escaping Server = { _ in SimulatedResponse() }
  ) {
    timeline = Timeline(clock)
    state = Locked(NetworkState(random))
    self.conditions = Locked(["": conditions])
    self.server = server
  }

  // MARK: Records

  /// All attempts, in the order in which they began.
  public var attempts: [SimulatedAttempt] { state.withLock { $0.attempts } }
  /// The number of attempts in flight. A cancelled attempt does not count.
  public var inFlight: Int { state.withLock { $0.inFlight } }
  /// The greatest number of attempts that were in flight at once.
  public var mostInFlight: Int { state.withLock { $0.mostInFlight } }
  /// The load of each host that has had an attempt.
  public var hosts: [String: HostLoad] { state.withLock { $0.hosts } }
  /// The time at which the client shut the network down; nil before that.
  package var shutDownTime: Duration? { state.withLock { $0.shutDown } }
  /// The time since the creation of the network, on its clock.
  package var now: Duration { timeline.now() }

  /// Blocks all traffic to and from some hosts, beginning now. Blocked messages are sent again at the end, if the
  /// client still waits then.
  /// - Parameters:
  ///   - hosts: The hosts; nil for all. Default: all.
  ///   - duration: The length of the partition.
  public func partition(from hosts: Set<String>? = nil, for duration: Duration) {
    let now = timeline.now()
    state.withLock { $0.part(from: hosts, now..<(now + duration)) }
  }

  /// Changes the conditions of attempts that begin from now on.
  /// - Parameter host: The only host whose conditions change; nil for all hosts, which also replaces the conditions
  ///   of single hosts. Default: nil.
  public func change(to conditions: NetworkConditions, for host: String? = nil) {
    self.conditions.withLock { if let host { $0[host] = conditions } else { $0 = ["": conditions] } }
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
      end(index, .cancelled)
      task.cancel()
    }
    defer { exchange.removeCancelHandler(id) }
    do {
      let result = try await task.value
      end(index, .responded(result.head.status))
      return result
    } catch {
      end(index, (error as? RequestError).map { .failed($0.code) } ?? .cancelled)
      throw error
    }
  }

  public func shutdown() async {
    let now = timeline.now()
    state.withLock { $0.shutDown(at: now) }
  }

  private func end(_ index: Int, _ end: SimulatedAttempt.End) {
    let now = timeline.now()
    state.withLock { $0.end(index, end, at: now) }
  }

  // MARK: Used by passages

  func sleep(until end: Duration) async throws { try await timeline.sleep(end - timeline.now()) }

  func arrival(after latency: Duration, host: String) -> Duration {
    let now = timeline.now()
    return state.withLock { $0.arrival(of: now, after: latency, host: host) }
  }

  func sent(_ index: Int, _ body: Data) { state.withLock { $0.sent(index, body) } }

  func arrived(_ index: Int, _ response: ResponseHead) { state.withLock { $0.arrived(index, response) } }

  /// Records that the server has received the request, and returns the server's response.
  func response(_ index: Int) -> SimulatedResponse {
    let now = timeline.now()
    return server(state.withLock { $0.seen(index, at: now) })
  }
}
