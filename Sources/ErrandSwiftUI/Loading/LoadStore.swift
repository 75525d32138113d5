public import ErrandCore
public import ErrandReachability

/// Loads values for views, with one client. Views with the same key share one request. Put a store into the
/// environment at the root: `ContentView().errand(LoadStore(client))`.
@MainActor public final class LoadStore {
  private struct Key: Hashable {
    let key: AnyHashable
    let value: ObjectIdentifier
  }

  private struct WeakEntry {
    weak var entry: AnyObject?
    let networkIsBack: @MainActor () -> Void
  }

  /// The client that sends the requests.
  public nonisolated let client: Client
  private let timeline: Timeline
  private let grace: Duration
  private var entries: [Key: WeakEntry] = [:]
  private var watching: Task<Void, Never>?

  /// Makes a store.
  /// - Parameters:
  ///   - client: The client that sends the requests.
  ///   - grace: The time for which a view may be away before its request is cancelled. Default: 0.3 s.
  ///   - reachability: Reports when the network is back, to load failed values again. Default: the system's monitor.
  ///   - clock: The clock that measures the grace.
  public init(
    _ client: Client, grace: Duration = .milliseconds(300),
    reachability: (any ReachabilityMonitor)? = Reachability.shared,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.client = client
    self.grace = grace
    timeline = Timeline(clock)
    guard let reachability else { return }
    watching = Task { [weak self] in await Self.watch(reachability) { self?.networkIsBack() } }
  }

  deinit { watching?.cancel() }

  /// Returns the entry of a key, and makes it if no view has one.
  func entry<Value: Sendable>(
    of key: AnyHashable, _ work: @escaping LoadEntry<Value>.Work
  ) -> LoadEntry<Value> {
    let key = Key(key: key, value: ObjectIdentifier(Value.self))
    if let entry = entries[key]?.entry as? LoadEntry<Value> { return entry }
    entries = entries.filter { $0.value.entry != nil }
    let entry = LoadEntry(client, timeline, grace: grace, work: work)
    entries[key] = WeakEntry(entry: entry) { [weak entry] in entry?.networkIsBack() }
    return entry
  }

  private func networkIsBack() {
    for entry in entries.values { entry.networkIsBack() }
  }

  private static func watch(
    _ reachability: some ReachabilityMonitor, _ isBack: @MainActor () -> Void
  ) async {
    var wasOffline = false
    for await status in reachability.updates {
      if wasOffline, status != .offline { isBack() }
      wasOffline = status == .offline
    }
  }
}
