import ErrandTesting
import Testing

@testable import ErrandCore
@testable import ErrandObservability

@Suite struct OTLPStateTests {
  private var limits: OTLPExporter.Limits {
    var limits = OTLPExporter.Limits()
    (limits.waiting, limits.batch, limits.inFlight) = (20, 4, 2)
    return limits
  }

  @Test func `full batches leave at once, up to the number of requests in flight`() {
    var state = OTLPState(limits)
    let effects = state.add(spans: 14, at: .zero)
    #expect(effects.batches.map(\.spans.count) == [4, 4])
    let next = state.ended(1, .accepted(rejected: 0), at: .zero, random: 0)
    #expect(next.batches.map(\.number) == [3])
    #expect(state.held.spans == 10)
  }

  @Test func `the last batch leaves after the delay`() {
    var state = OTLPState(limits)
    #expect(state.add(spans: 2, at: .seconds(1)).wakes == [.seconds(6)])
    #expect(state.advance(to: .seconds(5)).batches.isEmpty)
    #expect(state.advance(to: .seconds(6)).batches.map(\.spans.count) == [2])
  }

  @Test func `a batch of large spans leaves at once, because collectors limit the size of a request`() {
    var state = OTLPState(limits)
    let large = TraceSpan.sample(1, name: String(repeating: "x", count: OTLPState.largestBatch))
    #expect(state.add(large, at: .zero).batches.map(\.spans.count) == [1])
  }

  @Test func `one request with measurements is sent at a time`() {
    var state = OTLPState(limits)
    _ = state.add(0.1, [:], at: .zero)
    #expect(state.advance(to: .seconds(5)).measurements == 1)
    _ = state.add(0.1, [:], at: .seconds(6))
    #expect(state.advance(to: .seconds(11)).measurements == 0)
    #expect(state.measurementsEnded(.accepted(rejected: 0), at: .seconds(12), random: 1).measurements == 1)
  }

  @Test func `the waits for measurements grow, until the collector accepts some`() {
    var limits = limits
    limits.delay = .zero
    var state = OTLPState(limits)
    var (now, waits) = (Duration.zero, [Duration]())
    for round in 0..<6 {
      _ = state.add(0.1, [:], at: now)
      #expect(state.advance(to: now).measurements == 1)
      let outcome = round == 3 ? OTLPState.Outcome.accepted(rejected: 0) : .unavailable("", after: nil)
      let due = state.measurementsEnded(outcome, at: now, random: 1).wakes.min() ?? now
      waits.append(due - now)
      now = due
    }
    #expect(waits == [.seconds(1), .seconds(2), .seconds(4), .zero, .seconds(1), .seconds(2)])
  }

  @Test func `the size of the waiting spans is limited`() {
    var limits = limits
    limits.bytes = TraceSpan.sample(1).estimatedSize * 3
    var state = OTLPState(limits)
    _ = state.add(spans: 5, at: .zero)
    #expect(state.held.spans == 3)
    #expect(state.held.bytes <= limits.bytes)
    #expect(state.dropped == 2)
  }

  @Test func `one batch at a time is tried while the collector is away, and it is tried again first`() {
    var state = OTLPState(limits)
    _ = state.add(spans: 12, at: .zero)
    _ = state.ended(1, .unavailable("away", after: nil), at: .zero, random: 1)
    #expect(state.ended(2, .unavailable("away", after: nil), at: .zero, random: 1).batches.isEmpty)
    #expect(state.advance(to: .milliseconds(999)).batches.isEmpty)
    #expect(state.advance(to: .seconds(1)).batches.map(\.number) == [1])
    // When it is back, several are sent again.
    let effects = state.ended(1, .accepted(rejected: 0), at: .seconds(1), random: 1)
    #expect(effects.batches.map(\.number) == [2, 3])
    #expect(state.dropped == 0)
  }

  @Test func `waits grow up to a limit, and a part of them is random`() {
    var state = OTLPState(limits)
    _ = state.add(spans: 4, at: .zero)
    var (now, waits) = (Duration.zero, [Duration]())
    for round in 0..<5 {
      let effects = state.ended(1, .unavailable("away", after: nil), at: now, random: round == 0 ? 0 : 1)
      guard let due = effects.wakes.min() else { break }
      waits.append(due - now)
      now = due
      #expect(state.advance(to: now).batches.map(\.number) == [1])
    }
    #expect(waits == [.milliseconds(500), .seconds(2), .seconds(4), .seconds(5), .seconds(5)])
  }

  @Test func `a collector that is away for an hour costs bounded memory, and is reported once`() {
    var state = OTLPState(limits)
    var (notices, most, inFlight) = ([OTLPNotice](), 0, [Int]())
    for second in 0..<3600 {
      let now = Duration.seconds(second)
      var effects = state.add(spans: 3, at: now) + state.advance(to: now)
      for number in inFlight {
        effects += state.ended(number, .unavailable("away", after: nil), at: now, random: 1)
      }
      inFlight = effects.batches.map(\.number)
      notices += effects.notices
      most = max(most, state.held.spans)
    }
    #expect(most <= limits.waiting)
    #expect(notices == [.dropping(reason: "the limit of waiting spans is reached")])
    #expect(state.dropped + state.held.spans == 3 * 3600)

    // The collector is back.
    let lost = state.dropped
    for second in 3600..<3700 {
      let now = Duration.seconds(second)
      var effects = state.advance(to: now)
      for number in inFlight { effects += state.ended(number, .accepted(rejected: 0), at: now, random: 1) }
      inFlight = effects.batches.map(\.number)
      notices += effects.notices
    }
    #expect(notices.dropFirst() == [.recovered(dropped: lost)])
    #expect(state.held.spans == 0)
  }

  @Test func `a batch is dropped if it still fails after the time to give up`() {
    var state = OTLPState(limits)
    _ = state.add(spans: 4, at: .zero)
    _ = state.ended(1, .unavailable("busy", after: nil), at: .seconds(29), random: 1)
    #expect(state.dropped == 0)
    #expect(state.advance(to: .seconds(30)).batches.map(\.number) == [1])
    let effects = state.ended(1, .unavailable("busy", after: nil), at: .seconds(30), random: 1)
    #expect(state.dropped == 4)
    #expect(effects.notices == [.dropping(reason: "busy")])
  }

  @Test func `a collector that asks for a long wait is tried again when the time of its batch ends`() {
    var state = OTLPState(limits)
    _ = state.add(spans: 12, at: .zero)
    let long = OTLPState.Outcome.unavailable("busy", after: .seconds(100_000_000))
    _ = state.ended(1, long, at: .seconds(2), random: 1)
    let waiting = state.ended(2, long, at: .seconds(3), random: 1)
    #expect(waiting.wakes == [.seconds(30)])
    #expect(state.advance(to: .seconds(29)).batches.isEmpty)
    #expect(state.advance(to: .seconds(30)).batches.map(\.number) == [1])

    // The other batch has failed as well, and its time has passed.
    let effects = state.ended(1, long, at: .seconds(31), random: 1)
    #expect(state.dropped == 8)
    #expect(effects.notices == [.dropping(reason: "busy")])
    #expect(effects.wakes == [.seconds(61)])

    #expect(state.advance(to: .seconds(61)).batches.map(\.number) == [3])
    _ = state.ended(3, .accepted(rejected: 0), at: .seconds(61), random: 1)
    #expect(state.dropped == 8)
    #expect(state.held.spans == 0)
  }

  @Test func `a short wait that the collector asks for is kept`() {
    var state = OTLPState(limits)
    _ = state.add(spans: 4, at: .zero)
    let effects = state.ended(1, .unavailable("busy", after: .seconds(7)), at: .seconds(1), random: 0)
    #expect(effects.wakes == [.seconds(8)])
  }

  @Test func `spans leave while the collector takes no measurements, and the other way round`() {
    let busy = OTLPState.Outcome.unavailable("busy", after: .seconds(20))
    var state = OTLPState(limits)
    _ = state.add(0.1, [:], at: .zero)
    #expect(state.advance(to: .seconds(5)).measurements == 1)
    _ = state.measurementsEnded(busy, at: .seconds(5), random: 1)
    #expect(state.add(spans: 12, at: .seconds(6)).batches.map(\.number) == [1, 2])
    #expect(state.advance(to: .seconds(24)).measurements == 0)
    #expect(state.advance(to: .seconds(25)).measurements == 1)
    _ = state.measurementsEnded(.accepted(rejected: 0), at: .seconds(25), random: 1)

    _ = state.ended(1, busy, at: .seconds(26), random: 1)
    _ = state.add(0.1, [:], at: .seconds(26))
    #expect(state.advance(to: .seconds(31)).measurements == 1)
  }

  @Test(arguments: [Double.nan, Double.infinity, -Double.infinity, -1, Double.greatestFiniteMagnitude])
  func `a duration that is no duration is ignored, and the largest one keeps the sum a number`(
    seconds: Double
  ) throws {
    var state = OTLPState(limits)
    for _ in 0..<3 { _ = state.add(seconds, [:], at: .zero) }
    let effects = state.advance(to: .seconds(5))
    #expect(effects.measurements == (seconds == .greatestFiniteMagnitude ? 1 : 0))
    for case .sendMeasurements(let series) in effects {
      #expect(series[[:]]?.count == 3)
      #expect(series[[:]]?.sum.isFinite == true)
    }
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(1.6e20), .seconds(-1.6e20)])
  func `limits beyond all times are times`(limit: Duration) {
    var limits = limits
    (limits.delay, limits.timeout, limits.giveUpAfter) = (limit, limit, limit)
    var state = OTLPState(limits)
    _ = state.add(spans: 5, at: .seconds(1))
    _ = state.add(0.1, [:], at: .seconds(1))
    _ = state.ended(1, .unavailable("away", after: limit), at: .seconds(1), random: 1)
    _ = state.flush(at: .seconds(2), within: limit)
    #expect(state.held.spans + state.dropped == 5)
  }

  @Test func `no recovery is reported before the collector has accepted a batch`() {
    var state = OTLPState(limits)
    _ = state.add(spans: 4, at: .zero)
    _ = state.ended(1, .refused("no"), at: .zero, random: 1)
    #expect(state.advance(to: .seconds(100)).notices.isEmpty)
    _ = state.add(spans: 4, at: .seconds(100))
    let effects = state.ended(2, .accepted(rejected: 0), at: .seconds(100), random: 1)
    #expect(effects.notices == [.recovered(dropped: 4)])
  }

  @Test func `measurements that could not be sent are sent again`() {
    var state = OTLPState(limits)
    #expect(state.add(0.1, [:], at: .zero).wakes == [.seconds(5)])
    #expect(state.advance(to: .seconds(5)).measurements == 1)
    #expect(
      state.measurementsEnded(.unavailable("away", after: nil), at: .seconds(5), random: 1).measurements == 0)
    #expect(state.advance(to: .seconds(10)).measurements == 1)
    _ = state.measurementsEnded(.accepted(rejected: 0), at: .seconds(10), random: 1)
    #expect(state.advance(to: .seconds(20)).measurements == 0)
  }

  @Test func `a flush waits for what was added before, and for nothing later`() {
    var state = OTLPState(limits)
    _ = state.add(spans: 5, at: .zero)
    let (id, effects) = state.flush(at: .zero, within: .seconds(9))
    #expect(effects.batches.map(\.number) == [2])
    _ = state.add(spans: 1, at: .zero)
    #expect(state.ended(2, .accepted(rejected: 0), at: .zero, random: 0).flushes.isEmpty)
    #expect(state.ended(1, .accepted(rejected: 0), at: .zero, random: 0).flushes == [id: true])
    let (second, _) = state.flush(at: .zero, within: .seconds(9))
    #expect(state.advance(to: .seconds(8)).flushes.isEmpty)
    #expect(state.advance(to: .seconds(9)).flushes == [second: false])
  }

  @Test func `each span is sent, dropped or held, whatever the collector does`() {
    var random = SeededRandom(seed: 34)
    for _ in 0..<50 {
      var state = OTLPState(limits)
      var (now, added, accepted, inFlight) = (Duration.zero, 0, 0, [OTLPState.Batch]())
      for _ in 0..<400 {
        now += .milliseconds(Int.random(in: 0..<2000, using: &random))
        var effects: [OTLPState.Effect] = []
        switch Int.random(in: 0..<4, using: &random) {
        case 0, 1:
          let count = Int.random(in: 1..<6, using: &random)
          added += count
          effects = state.add(spans: count, at: now)
        case 2: effects = state.advance(to: now)
        default:
          guard !inFlight.isEmpty else { continue }
          let batch = inFlight.remove(at: Int.random(in: 0..<inFlight.count, using: &random))
          switch Int.random(in: 0..<3, using: &random) {
          case 0:
            accepted += batch.spans.count
            effects = state.ended(batch.number, .accepted(rejected: 0), at: now, random: 0.5)
          case 1: effects = state.ended(batch.number, .unavailable("", after: nil), at: now, random: 0.5)
          default: effects = state.ended(batch.number, .refused(""), at: now, random: 0.5)
          }
        }
        inFlight += effects.batches
        #expect(inFlight.count <= limits.inFlight)
        #expect(state.held.spans <= limits.waiting)
        #expect(state.held.spans + state.dropped + accepted == added)
      }
    }
  }
}

extension OTLPState {
  fileprivate mutating func add(spans count: Int, at now: Duration) -> [Effect] {
    (1...count).reduce(into: []) { effects, number in effects += add(.sample(number), at: now) }
  }
}

extension [OTLPState.Effect] {
  fileprivate var batches: [OTLPState.Batch] {
    compactMap { if case .send(let batch) = $0 { batch } else { nil } }
  }
  fileprivate var wakes: [Duration] { compactMap { if case .wake(let due) = $0 { due } else { nil } } }
  fileprivate var notices: [OTLPNotice] {
    compactMap { if case .report(let notice) = $0 { notice } else { nil } }
  }
  fileprivate var measurements: Int {
    filter { if case .sendMeasurements = $0 { true } else { false } }.count
  }
  fileprivate var flushes: [Int: Bool] {
    reduce(into: [:]) { found, effect in if case .endFlush(let id, let isDone) = effect { found[id] = isDone }
    }
  }
}
