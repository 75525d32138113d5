/// The network, as far as a waiting call needs it. `ErrandReachability` implements it.
package protocol NetworkGate: Sendable {
  /// False if there is certainly no network.
  var mayBeOnline: Bool { get }

  /// Returns when there may be a network, or when the task is cancelled.
  func waitUntilOnline() async
}

/// A request's rule for waiting for the network.
package struct NetworkRule: Sendable, Hashable {
  package let gate: OnlyItself<any NetworkGate>
  /// The time that the call may wait.
  package let limit: Duration

  package init(_ gate: any NetworkGate, within limit: Duration) {
    self.gate = OnlyItself(gate)
    self.limit = limit
  }
}

extension Request {
  /// Lets the call wait for the network by this rule.
  package func waiting(for rule: NetworkRule) -> Request { with { $0.options.networkRule = rule } }
}

/// Decides how long a call waits for the network. Pure.
struct NetworkWaitState: Sendable {
  /// The wait before an attempt is made although there seems to be no network: the status is only a hint.
  private static let firstProbe = Duration.seconds(5)
  private static let longestProbe = Duration.seconds(30)

  private let end: Duration
  private var probe = firstProbe

  init(limit: Duration, at now: Duration) { end = now + max(.zero, min(limit, .longest)) }

  /// Returns how long to wait for the network before the next attempt; nil if it is made at once, because there is a
  /// network or the time is up.
  mutating func beforeAttempt(isOnline: Bool, at now: Duration) -> Duration? {
    guard !isOnline, now < end else { return nil }
    defer { probe = min(probe * 2, Self.longestProbe) }
    return min(probe, end - now)
  }

  /// Returns true if another attempt may follow a failure.
  func mayContinue(after error: RequestError, isOnline: Bool, at now: Duration) -> Bool {
    guard now < end, !error.reachedServer else { return false }
    switch error.code {
    case .cannotResolveHost, .cannotConnect, .connectionLost, .timedOut: return !isOnline
    default: return false
    }
  }
}

/// Lets a call wait while there is no network, instead of failing.
final class NetworkStage: Stage {
  let usage = StageUsage.requests(with: .network)
  private let timeline: Timeline

  init(_ timeline: Timeline) { self.timeline = timeline }

  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    guard let rule = request.options.networkRule else { return try await next(request, context) }
    let gate = rule.gate.value
    var state = NetworkWaitState(limit: rule.limit, at: timeline.now())
    while true {
      if let wait = state.beforeAttempt(isOnline: gate.mayBeOnline, at: timeline.now()) {
        context.events?.tell(.waiting(.network))
        defer { context.events?.tell(.waited(.network)) }
        try await context.cancellation.interrupting { [timeline] in
          await Self.wait(for: gate, atMost: wait, timeline)
        }
      }
      do {
        return try await next(request, context)
      } catch let error as RequestError {
        guard request.body.isReplayable,
          state.mayContinue(after: error, isOnline: gate.mayBeOnline, at: timeline.now())
        else { throw error }
      }
    }
  }

  private static func wait(for gate: any NetworkGate, atMost limit: Duration, _ timeline: Timeline) async {
    let online = Task { await gate.waitUntilOnline() }
    await withTaskCancellationHandler {
      _ = await timeline.waits(for: online, atMost: limit)
    } onCancel: {
      online.cancel()
    }
    online.cancel()
  }
}
