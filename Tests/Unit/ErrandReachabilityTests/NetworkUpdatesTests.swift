import ErrandCore
import ErrandTesting
import Testing

@testable import ErrandReachability

@Suite(.timeLimit(.minutes(1))) struct NetworkUpdatesTests {
  @Test func `a reader gets the current status first, then every change`() async {
    let network = ManualReachability(.offline)
    var updates = network.updates.makeAsyncIterator()
    #expect(await updates.next(isolation: nil) == .offline)
    network.set(.online)
    #expect(await updates.next(isolation: nil) == .online)
    network.set(.unknown)
    #expect(await updates.next(isolation: nil) == .unknown)
    #expect(network.current == .unknown)
  }

  @Test func `an unchanged status is not reported`() async {
    let network = ManualReachability()
    var updates = network.updates.makeAsyncIterator()
    #expect(await updates.next(isolation: nil) == .online)
    network.set(.online)
    network.set(.offline)
    #expect(await updates.next(isolation: nil) == .offline)
  }

  @Test func `a slow reader gets only the newest status`() async {
    let network = ManualReachability()
    var updates = network.updates.makeAsyncIterator()
    #expect(await updates.next(isolation: nil) == .online)
    network.set(.offline)
    network.set(.unknown)
    #expect(await updates.next(isolation: nil) == .unknown)
  }

  @Test func `every reader gets every status`() async {
    let network = ManualReachability(.offline)
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let readers = (0..<20).map { _ in
      Task {
        var heard: [NetworkStatus] = []
        for await status in network.updates {
          heard.append(status)
          if status == .online { break }
          begin.yield()
        }
        return heard
      }
    }
    for await _ in begun.prefix(readers.count) {}
    network.set(.online)
    for reader in readers { #expect(await reader.value == [.offline, .online]) }
  }

  @Test func `reading ends when its task is cancelled, before or while it waits`() async {
    let network = ManualReachability()
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let reader = Task {
      var heard: [NetworkStatus] = []
      for await status in network.updates {
        heard.append(status)
        begin.finish()
      }
      for await status in network.updates { heard.append(status) }
      return heard
    }
    for await _ in begun {}
    reader.cancel()
    #expect(await reader.value == [.online])
    // Other readers are not affected.
    var updates = network.updates.makeAsyncIterator()
    #expect(await updates.next(isolation: nil) == .online)
  }

  @Test func `a change that races with a cancellation ends the reader`() async {
    for _ in 0..<300 {
      let network = ManualReachability()
      let reader = Task {
        var heard: [NetworkStatus] = []
        for await status in network.updates { heard.append(status) }
        return heard
      }
      async let change: Void = network.set(.offline)
      async let cancellation: Void = reader.cancel()
      _ = await (change, cancellation)
      let heard = await reader.value
      #expect([[], [.online], [.offline], [.online, .offline]].contains(heard))
    }
  }

  @Test func `any monitor can be followed`() async {
    let monitors: [any ReachabilityMonitor] = [ManualReachability(.offline), ManualReachability(.online)]
    var first: [NetworkStatus] = []
    for monitor in monitors {
      for await status in monitor.updates {
        first.append(status)
        break
      }
    }
    #expect(first == [.offline, .online])
  }

  private final class Watch: Sendable {
    let tell: WatchedStatus.Tell
    private let ended: @Sendable () -> Void
    init(_ tell: @escaping WatchedStatus.Tell, ended: @escaping @Sendable () -> Void) {
      self.tell = tell
      self.ended = ended
    }
    deinit { ended() }
  }

  /// Counts how often watching began and ended, and holds the current watch weakly.
  private final class Watching: Sendable {
    struct Count: Equatable {
      var begun = 0
      var ended = 0
    }
    private struct State {
      var count = Count()
      weak var watch: Watch?
    }
    private let state = Locked(State())

    var count: Count { state.withLock { $0.count } }
    var watch: Watch? { state.withLock { $0.watch } }

    func begin(_ tell: @escaping WatchedStatus.Tell) -> Watch {
      let watch = Watch(tell) { self.state.withLock { $0.count.ended += 1 } }
      tell(.offline)
      return state.withLock { state in
        state.count.begun += 1
        state.watch = watch
        return watch
      }
    }
  }

  @Test func `watching begins once, with the first use, and the first result is reported`() async {
    let watching = Watching()
    let reachability = Reachability(watching.begin)
    let updates = reachability.updates
    #expect(watching.count == .init())
    #expect(await updates.first { _ in true } == .offline)
    #expect(reachability.current == .offline)
    #expect(watching.count == .init(begun: 1))
  }

  @Test func `readers that start concurrently all get the first result`() async {
    for _ in 0..<50 {
      let watching = Watching()
      let reachability = Reachability(watching.begin)
      await withTaskGroup { group in
        for _ in 0..<8 { group.addTask { reachability.current } }
        for await status in group { #expect(status == .offline) }
      }
      #expect(watching.count == .init(begun: 1))
    }
  }

  @Test func `watching ends when its last holder is released`() async {
    let watching = Watching()
    var reachability: Reachability? = Reachability(watching.begin)
    #expect(reachability?.current == .offline)
    #expect(watching.count == .init(begun: 1))
    reachability = nil
    #expect(watching.count == .init(begun: 1, ended: 1))
  }

  @Test func `a reader keeps watching alive until it stops`() async {
    let watching = Watching()
    let (heard, hear) = AsyncStream.makeStream(of: NetworkStatus.self)
    let reader = Task {
      for await status in Reachability(watching.begin).updates { hear.yield(status) }
    }
    var statuses = heard.makeAsyncIterator()
    #expect(await statuses.next() == .offline)
    watching.watch?.tell(.online)
    #expect(await statuses.next() == .online)
    #expect(watching.count == .init(begun: 1))
    reader.cancel()
    await reader.value
    while watching.count.ended == 0 { await Task.yield() }
  }

  @Test func `the status is unknown if watching fails`() async {
    let reachability = Reachability { _ in nil }
    #expect(reachability.current == .unknown)
    #expect(await reachability.updates.first { _ in true } == .unknown)
  }
}
