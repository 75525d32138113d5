@_spi(Benchmarks) import ErrandCore

/// A scheduler with so many waiting, of all priorities by turns.
struct Crowd {
  private var probe: SchedulerProbe
  private var running: [SchedulerProbe.Place] = []
  private(set) var waiting: [SchedulerProbe.Place] = []
  private let hosts: [String]
  private var last = 0

  /// - Parameter hosts: Nil for no limit of theirs.
  init(_ count: Int, hosts: Int?) {
    probe = SchedulerProbe(ConcurrencyLimits(total: 4, perHost: hosts == nil ? nil : 2))
    self.hosts = (0..<(hosts ?? 0)).map { "host\($0).example.com" }
    running.reserveCapacity(8)
    waiting.reserveCapacity(count)
    for _ in 0..<count + 4 {
      let place = arrive(Priority.allCases[last % 4])
      if place.isRunning { running.append(place) } else { waiting.append(place) }
    }
  }

  @discardableResult
  private mutating func arrive(_ priority: Priority) -> SchedulerProbe.Place {
    last += 1
    let host = hosts.isEmpty ? nil : hosts[last % hosts.count]
    return probe.arrive(last, priority, host: host, at: .microseconds(last))
  }

  /// One more comes, and one that waits starts.
  mutating func addAndTake() {
    arrive(Self.priorities[last & 3])
    let place = running.removeFirst()
    probe.finish(place) { running.append($1) }
  }

  /// One that waits goes, and one comes in its stead.
  mutating func leaveAndAdd(_ index: Int) {
    probe.leave(waiting[index])
    waiting[index] = arrive(Self.priorities[last & 3])
  }

  mutating func raise(_ index: Int, to priority: Priority) {
    probe.raise(waiting[index], to: priority) { _, place in running.append(place) }
  }

  private static let priorities = Priority.allCases
}
