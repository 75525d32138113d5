@_spi(Benchmarks) import ErrandCore

/// A scheduler with many waiting requests, evenly of all priorities.
struct Crowd {
  private var probe: SchedulerProbe
  private var running: [SchedulerProbe.Place] = []
  private(set) var waiting: [SchedulerProbe.Place] = []
  private let origins: [String]
  private var last = 0

  /// - Parameter origins: The number of origins; nil not to limit requests per origin.
  init(_ count: Int, origins: Int?) {
    probe = SchedulerProbe(ConcurrencyLimits(total: 4, perOrigin: origins == nil ? nil : 2))
    self.origins = (0..<(origins ?? 0)).map { "origin\($0).example.com" }
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
    let origin = origins.isEmpty ? nil : origins[last % origins.count]
    return probe.arrive(last, priority, origin: origin, at: .microseconds(last))
  }

  /// Adds a request, and lets a waiting one start.
  mutating func addAndTake() {
    arrive(Self.priorities[last & 3])
    let place = running.removeFirst()
    probe.finish(place) { running.append($1) }
  }

  /// Removes a waiting request, and adds one in its place.
  mutating func leaveAndAdd(_ index: Int) {
    probe.leave(waiting[index])
    waiting[index] = arrive(Self.priorities[last & 3])
  }

  mutating func raise(_ index: Int, to priority: Priority) {
    probe.raise(waiting[index], to: priority) { _, place in running.append(place) }
  }

  private static let priorities = Priority.allCases
}
