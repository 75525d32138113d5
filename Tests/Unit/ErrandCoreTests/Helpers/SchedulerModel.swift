@testable import ErrandCore

/// The scheduler's rules in their simplest form: every waiting request is examined each time.
struct SchedulerModel {
  struct Request {
    let number: Int
    var priority: Priority
    let origin: String?
    let arrived: Duration
    let arrival: Int
  }

  var limits: ConcurrencyLimits
  private(set) var running: [Int: Request] = [:]
  private(set) var waiting: [Request] = []
  private var arrivals = 0
  private var startsSinceOvertaking = 8

  init(_ limits: ConcurrencyLimits) { self.limits = limits }

  mutating func arrive(_ number: Int, _ priority: Priority, origin: String, at now: Duration) -> [Int] {
    arrivals += 1
    waiting.append(
      Request(
        number: number, priority: priority, origin: limits.perOrigin == nil ? nil : origin, arrived: now,
        arrival: arrivals))
    return startAll()
  }

  mutating func finish(_ number: Int) -> [Int] {
    running[number] = nil
    return startAll()
  }

  mutating func leave(_ number: Int) { waiting.removeAll { $0.number == number } }

  mutating func raise(_ number: Int, to priority: Priority) -> [Int] {
    for index in waiting.indices where waiting[index].number == number {
      waiting[index].priority = max(waiting[index].priority, priority)
    }
    return startAll()
  }

  mutating func setLimits(_ new: ConcurrencyLimits) -> [Int] {
    limits = new
    return startAll()
  }

  func mayStart(_ request: Request) -> Bool {
    let mates = running.values.filter { $0.origin == request.origin }
    return hasRoom(request, among: Array(running.values), limits.total)
      && (request.origin == nil || hasRoom(request, among: mates, limits.perOrigin))
  }

  private func hasRoom(_ request: Request, among others: [Request], _ limit: Int?) -> Bool {
    guard let limit = limit.map({ max(1, $0) }) else { return true }
    let unseen = others.filter { $0.priority < .default }.count
    return others.count < limit
      && (request.priority >= .default || unseen < max(1, limit - max(0, limits.reserved)))
  }

  private func due(_ request: Request) -> Duration {
    request.arrived + limits.ageing * (3 - Int(request.priority.rawValue))
  }

  private mutating func startAll() -> [Int] {
    var started: [Int] = []
    while let next = next() {
      waiting.removeAll { $0.number == next.number }
      running[next.number] = next
      started.append(next.number)
      startsSinceOvertaking += 1
    }
    return started
  }

  private mutating func next() -> Request? {
    let first = waiting.filter(mayStart).min(by: goesBefore)
    let seen = waiting.filter { $0.priority >= .default && mayStart($0) }.min(by: goesBefore)
    guard let first, let seen, first.number != seen.number else { return first }
    guard first.priority < .default else { return first }
    guard startsSinceOvertaking >= 8 else { return seen }
    startsSinceOvertaking = 0
    return first
  }

  private func goesBefore(_ left: Request, _ right: Request) -> Bool {
    if due(left) != due(right) { return due(left) < due(right) }
    if left.priority != right.priority { return left.priority > right.priority }
    return left.arrival < right.arrival
  }
}
