import ErrandCore
import ErrandOutbox
import ErrandOutboxSQLite
import ErrandTesting

/// The machine on which a world's processes run: its clocks, and the processes that are alive.
final class SimulatedMachine: Sendable {
  private struct State {
    var boot = 1
    var bootTime = Duration.zero
    /// The difference of the wall clock from the true time, after it was set.
    var wallError = Duration.zero
    var alive: Set<String> = []
    var isStoreAway = false
    /// The leases with which each owner has begun to send.
    var begun: [String: Set<Int64>] = [:]
  }

  /// 2026-01-01T00:00:00Z, in milliseconds.
  private static let start: Int64 = 1_767_225_600_000

  private let clock: VirtualClock
  private let state = Locked(State())

  init(_ clock: VirtualClock) { self.clock = clock }

  var time: StoreTime {
    let now = clock.now.offset
    return state.withLock { state in
      StoreTime(
        ticks: Int64((now - state.bootTime).wholeMilliseconds),
        wall: Self.start + Int64((now + state.wallError).wholeMilliseconds), boot: "boot \(state.boot)")
    }
  }

  /// Sets the wall clock.
  func setWall(by change: Duration) { state.withLock { $0.wallError += change } }

  /// True while deliveries can neither read nor write the store.
  var isStoreAway: Bool {
    get { state.withLock { $0.isStoreAway } }
    set { state.withLock { $0.isStoreAway = newValue } }
  }

  /// Restarts the machine: ticks begin at zero, and all its processes have ended.
  func reboot() {
    let now = clock.now.offset
    state.withLock { state in
      state.boot += 1
      state.bootTime = now
      state.alive = []
    }
  }

  func begin(_ leases: [Int64], of owner: String) {
    state.withLock { $0.begun[owner, default: []].formUnion(leases) }
  }

  func hasBegun(_ lease: Int64, _ owner: String) -> Bool {
    state.withLock { $0.begun[owner]?.contains(lease) ?? false }
  }

  func isAlive(_ owner: String) -> Bool { state.withLock { $0.alive.contains(owner) } }
  func begin(_ owner: String) { state.withLock { _ = $0.alive.insert(owner) } }
  func end(_ owner: String) { state.withLock { _ = $0.alive.remove(owner) } }
}
