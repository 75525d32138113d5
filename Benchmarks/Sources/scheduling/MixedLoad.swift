@_spi(Benchmarks) import ErrandCore
import ErrandTesting

/// Simulates the load of an app in virtual time. Pages open at random, each with one to six user-initiated
/// requests. Single requests of default priority come in between. Meanwhile there is an endless load, half of
/// utility and half of background priority.
struct MixedLoad {
  struct Outcome {
    /// The seconds that each request waited.
    var waits: [Priority: [Double]] = [:]
    var hours = 0.0
  }

  private struct Request {
    let priority: Priority
    let arrived: Double
  }

  private enum Event {
    case page
    case single
    case end(Request, SchedulerProbe.Place)
  }

  /// The means of exponential distributions, in seconds.
  private static let betweenPages = 3.0
  private static let betweenSingles = 1.0
  private static let seenService = 0.2
  private static let unseenService = 1.0

  private let limits: ConcurrencyLimits
  /// The number of requests of the endless load at any time.
  private let flood: Int
  private var probe: SchedulerProbe
  private var random = SeededRandom(seed: 7)
  private var service = SeededRandom(seed: 8)
  private var agenda = Agenda<Event>()
  private var waiting: [Int: Request] = [:]
  private var last = 0
  private var outcome = Outcome()

  init(_ limits: ConcurrencyLimits, flood: Int) {
    self.limits = limits
    self.flood = flood
    probe = SchedulerProbe(limits)
  }

  mutating func run(hours: Int) -> Outcome {
    for number in 0..<flood { arrive(number % 2 == 0 ? .utility : .background, at: 0) }
    agenda.add(.page, at: random.exponential(mean: Self.betweenPages))
    agenda.add(.single, at: random.exponential(mean: Self.betweenSingles))
    let end = Double(hours) * 3600
    while let (now, event) = agenda.next(), now < end { take(event, now) }
    outcome.hours = Double(hours)
    return outcome
  }

  private mutating func take(_ event: Event, _ now: Double) {
    switch event {
    case .page:
      for _ in 0..<Int.random(in: 1...6, using: &random) { arrive(.userInitiated, at: now) }
      agenda.add(.page, at: now + random.exponential(mean: Self.betweenPages))
    case .single:
      arrive(.default, at: now)
      agenda.add(.single, at: now + random.exponential(mean: Self.betweenSingles))
    case .end(let request, let place):
      var started: [(Int, SchedulerProbe.Place)] = []
      probe.finish(place) { started.append(($0, $1)) }
      for (number, place) in started {
        if let next = waiting.removeValue(forKey: number) { start(next, place, now) }
      }
      // A request of the endless load is replaced when it ends.
      if request.priority < .default { arrive(request.priority, at: now) }
    }
  }

  private mutating func arrive(_ priority: Priority, at now: Double) {
    last += 1
    let request = Request(priority: priority, arrived: now)
    let place = probe.arrive(last, priority, origin: nil, at: .seconds(now))
    if place.isRunning { start(request, place, now) } else { waiting[last] = request }
  }

  private mutating func start(_ request: Request, _ place: SchedulerProbe.Place, _ now: Double) {
    outcome.waits[request.priority, default: []].append(now - request.arrived)
    let mean = request.priority < .default ? Self.unseenService : Self.seenService
    agenda.add(.end(request, place), at: now + service.exponential(mean: mean))
  }
}
