public import ErrandCore
public import Observation

/// The requests of a view, which end when the view is gone. Tabs, lists and navigation often let a view
/// disappear and appear again. If it is back within the grace, its requests are not cancelled, but only sent
/// after those of visible views meanwhile.
///
/// ```swift
/// struct Profile: View {
///   @State private var page = ViewRequests("profile")
///
///   var body: some View {
///     Button("Like") { page.scope.task { try await client.send(like) } }
///       .requests(page)
///   }
/// }
/// ```
@MainActor public final class ViewRequests: Observable {
  private nonisolated let name: String
  private nonisolated let parent: RequestScope?
  private nonisolated let timeline: Timeline
  private nonisolated let registrar = ObservationRegistrar()
  /// The scope of the views around this one.
  private var outer: RequestScope?
  private var state: VisibilityState
  private var current: OwnedScope?

  /// Makes the requests of a view. Keep them in a `@State` property, and pass them to `.requests(_:)`.
  /// - Parameters:
  ///   - name: The name of the scope.
  ///   - parent: A scope with which the requests also end. Default: the scope of the nearest view around this
  ///     one that has `.requests`.
  ///   - grace: The time for which the view may be away before its requests are cancelled. Default: 0.3 s.
  ///   - clock: The clock that measures the grace.
  public nonisolated init(
    _ name: String = "", in parent: RequestScope? = nil, grace: Duration = .milliseconds(300),
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.name = name
    self.parent = parent
    timeline = Timeline(clock)
    state = VisibilityState(grace: grace)
  }

  /// The scope. A view that comes back after its requests have ended gets a new scope, so read this property
  /// each time.
  public var scope: RequestScope {
    registrar.access(self, keyPath: \.scope)
    return owned.scope
  }

  private var owned: OwnedScope {
    if let current { return current }
    let new = OwnedScope(name, in: parent ?? outer)
    current = new
    return new
  }

  /// Records the scope around this view. If the last scope has ended, a new one is made at the next use.
  func lie(in outer: RequestScope) {
    guard outer !== self.outer else { return }
    self.outer = outer
    if current?.scope.isCancelled == true { current = nil }
    guard parent == nil, current != nil else { return }
    // Requests that began elsewhere, or before, now end with the views that are around this view.
    outer.whenEnded { [weak self, weak outer] in
      Task { @MainActor in
        if let self, self.outer === outer { self.current?.scope.end() }
      }
    }
  }

  func appear() { apply(state.appear()) }
  func disappear() { apply(state.disappear(at: timeline.now())) }

  private func apply(_ effects: [VisibilityState.Effect]) {
    for effect in effects {
      switch effect {
      case .lower: owned.scope.limitPriority(to: .background)
      case .restore: owned.scope.limitPriority(to: nil)
      case .end: owned.scope.end()
      case .renew: registrar.withMutation(of: self, keyPath: \.scope) { current = nil }
      case .wake(let time): wake(at: time)
      }
    }
  }

  private func wake(at time: Duration) {
    Task { [weak self, timeline] in
      try await timeline.sleep(max(.zero, time - timeline.now()))
      guard let self else { return }
      apply(state.ring(at: timeline.now()))
    }
  }
}

/// A scope that ends with its owner, even if another object retains the scope.
final class OwnedScope: Sendable {
  let scope: RequestScope

  init(_ name: String, in parent: RequestScope?) { scope = RequestScope(name, in: parent) }

  deinit { scope.end() }
}
