import ErrandCore
import Observation

/// The state of one key's value, shared by all views that show it. It lives while a view shows it, or its
/// request runs.
@MainActor final class LoadEntry<Value: Sendable>: Observable {
  typealias Work = @Sendable (Client, RequestScope) async throws -> Value

  private let client: Client
  private let timeline: Timeline
  private let registrar = ObservationRegistrar()
  private var state: LoadState<Value>
  private var work: Work
  private var scopes: [Int: OwnedScope] = [:]
  private var waiters: [Int: [CheckedContinuation<Void, Never>]] = [:]

  init(_ client: Client, _ timeline: Timeline, grace: Duration, work: @escaping Work) {
    self.client = client
    self.timeline = timeline
    self.work = work
    state = LoadState(grace: grace)
  }

  var shown: Loading<Value> {
    registrar.access(self, keyPath: \.shown)
    return state.shown
  }

  func appear(_ user: Int) { apply { $0.appear(user) } }

  func disappear(_ user: Int, isFinal: Bool) {
    let now = timeline.now()
    apply { $0.disappear(user, isFinal: isFinal, at: now) }
  }

  func networkIsBack() { apply { $0.networkIsBack() } }

  /// Loads again, and returns when that request has ended.
  func refresh() async {
    apply { $0.refresh() }
    guard let run = state.running else { return }
    await withCheckedContinuation { waiters[run, default: []].append($0) }
  }

  private func apply(_ event: (inout LoadState<Value>) -> [LoadState<Value>.Effect]) {
    var effects: [LoadState<Value>.Effect] = []
    registrar.withMutation(of: self, keyPath: \.shown) { effects = event(&state) }
    for effect in effects {
      switch effect {
      case .start(let run): start(run)
      case .cancel(let run): scopes.removeValue(forKey: run)?.scope.end()
      case .lower(let run): scopes[run]?.scope.limitPriority(to: .background)
      case .restore(let run): scopes[run]?.scope.limitPriority(to: nil)
      case .wake(let time): wake(at: time)
      case .resume(let run):
        scopes[run] = nil
        for waiter in waiters.removeValue(forKey: run) ?? [] { waiter.resume() }
      }
    }
  }

  private func start(_ run: Int) {
    let scope = OwnedScope("loaded", in: nil)
    scopes[run] = scope
    let task = scope.scope.task { [client, work, scope = scope.scope] in try await work(client, scope) }
    Task {
      let result = await task.result
      apply { $0.end(run, result) }
    }
  }

  private func wake(at time: Duration) {
    Task {
      try await timeline.sleep(max(.zero, time - timeline.now()))
      let now = timeline.now()
      apply { $0.ring(at: now) }
    }
  }
}
