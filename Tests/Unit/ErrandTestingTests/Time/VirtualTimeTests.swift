import ErrandCore
import ErrandTesting
import Testing

@Suite("A virtual clock's decisions", .timeLimit(.minutes(1)))
struct VirtualTimeTests {
  /// Plays a clock and its tasks, one event at a time, and checks each decision.
  private struct World {
    var time = VirtualTime()
    var random: SeededRandom
    /// The end of each sleep, and its place among all sleeps.
    var sleeping: [Int: (end: Duration, number: Int)] = [:]
    var advances: [Int: Duration] = [:]
    var nexts: [Int: Int?] = [:]
    var ended: Set<Int> = []
    var runs = 0
    /// Jobs, and tasks that have to run after a step.
    var jobs = 0
    /// What the main thread or the clock's queue has to do for the clock.
    var look = VirtualTime.Look.rest
    /// Rounds of the main thread since a job began or ended.
    var quietRounds = 0
    /// Whether the clock rested although no work was pending. If it was held, it looks again when it is released.
    var rests = false
    var lastID = 0

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// Much faster than `#expect`, for many expectations.
    private func expect(_ isTrue: Bool, _ comment: Comment) { if !isTrue { Issue.record(comment) } }

    mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }

    mutating func afterChange(again: Bool = false) {
      guard again ? time.lookAgain() : time.look() else { return }
      expect(look == .rest, "two rounds are under way")
      look = .round
      quietRounds = 0
    }

    mutating func beginJob() {
      time.beginWork()
      jobs += 1
      quietRounds = 0
    }

    mutating func endJob() {
      time.endWork()
      jobs -= 1
      quietRounds = 0
      afterChange()
    }

    /// An event outside the clock. Tasks may call it at any time.
    mutating func act() {
      lastID += 1
      switch number(0...11) {
      case 0...2:
        let end = time.now + .seconds(number(1...5))
        time.sleep(lastID, until: end)
        sleeping[lastID] = (end, lastID)
        afterChange()
      case 3:
        guard let id = sleeping.keys.sorted().randomElement(using: &random) else { return }
        let cancelled = (time.cancelSleep(id), time.cancelSleep(id))
        expect(cancelled == (true, false), "a sleep was not cancelled once")
        sleeping[id] = nil
        afterChange()
      case 4...5:
        advances[lastID] = time.now + .seconds(number(0...8))
        time.begin(.advance(to: advances[lastID]!), lastID)
        afterChange()
      case 6:
        nexts[lastID] = .some(nil)
        time.begin(.next(hasMoved: false), lastID)
        afterChange()
      case 7:
        time.beginRun()
        runs += 1
        afterChange()
      case 8 where runs > 0:
        time.endRun()
        runs -= 1
        afterChange()
      case 9: afterChange(again: true)
      default: beginJob()
      }
    }

    /// Does what the clock asked for, or ends a job.
    mutating func proceed() {
      if jobs > 0, look == .rest || number(0...1) == 0 { return endJob() }
      let before = time.now
      switch look {
      case .rest, .step: return
      case .round:
        quietRounds += 1
        look = time.endRound()
      case .decide: look = time.decide(isHeld: number(0...9) == 0)
      }
      guard case .step(let step) = look else {
        expect(time.now == before, "the time moved without a step")
        if look == .rest, jobs == 0 { rests = true }
        return
      }
      look = .rest
      expect(jobs == 0, "the time moved while work was pending")
      expect(quietRounds > VirtualTime.mainRounds, "the main thread had too few rounds")
      check(step, before)
    }

    mutating func check(_ step: VirtualTime.Step, _ before: Duration) {
      let limit = advances.values.min()
      let first = sleeping.values.map(\.end).min()
      switch step {
      case .wake(let ids):
        guard let first else { return expect(false, "woke nothing") }
        expect(limit == nil || first <= limit!, "passed the limit of a move")
        expect(limit != nil || runs > 0 || !nexts.isEmpty, "moved for no call")
        expect(time.now == max(before, first), "stopped elsewhere than at the end of a sleep")
        let due = sleeping.filter { $0.value.end == first }.sorted { $0.value.number < $1.value.number }
        expect(ids == due.map(\.key), "woke others, or in another order")
        for id in ids { sleeping[id] = nil }
        if let next = nexts.filter({ $0.value == nil }).keys.min() { nexts[next] = ids.count }
        jobs += ids.count
      case .end(let id, let hasMoved):
        expect(ended.insert(id).inserted, "a move ended twice")
        if let limit = advances.removeValue(forKey: id) {
          expect(time.now == max(before, limit), "stopped elsewhere than at a limit")
          expect(first == nil || first! > limit, "a move ended while its sleeper was due")
        } else if let next = nexts.removeValue(forKey: id) {
          expect(hasMoved == (next != nil), "the wrong result of a move")
          expect(time.now == before, "the end of a move moved the time")
          expect(hasMoved || first == nil, "a move ended although a task slept")
        } else {
          Issue.record("a move ended that had not begun")
        }
        jobs += 1
      }
    }

    /// Lets everything rest.
    mutating func drain() {
      for _ in 0..<100_000 {
        if jobs == 0, look == .rest {
          guard rests || !advances.isEmpty || !nexts.isEmpty || runs > 0 && !sleeping.isEmpty else { break }
          if !rests {
            Issue.record("nothing is under way, although \(advances) \(nexts) \(runs) \(sleeping) wait")
            break
          }
          rests = false
          afterChange(again: true)
          continue
        }
        proceed()
      }
      expect(advances.isEmpty && nexts.isEmpty, "a move did not end")
      expect(runs == 0 || sleeping.isEmpty, "a sleeper of a run was not woken")
      expect(time.sleepers == sleeping.count, "the wrong number of sleepers")
      expect(time.sortedEnds == sleeping.values.map(\.end).sorted(), "the wrong ends")
      expect(time.pending == 0, "work is pending")
    }
  }

  @Test(arguments: 0..<8)
  func `keep the order of time, end each move and wake each sleeper once, whatever happens at once`(part: Int)
  {
    for seed in 0..<25 {
      var world = World(seed: UInt64(part * 1000 + seed))
      // Some worlds have many events at once, others rest often.
      let acts = world.number(1...60)
      for _ in 0..<acts {
        world.act()
        for _ in 0..<world.number(0...40) { world.proceed() }
        if world.number(0...9) == 0 { world.drain() }
      }
      world.drain()
    }
  }

  /// Does what the clock asks for until it rests, and lets woken tasks do nothing.
  private func settle(_ time: inout VirtualTime) -> [VirtualTime.Step] {
    var steps: [VirtualTime.Step] = []
    while time.look() {
      while time.endRound() == .round {}
      guard case .step(let step) = time.decide(isHeld: false) else { break }
      steps.append(step)
      while time.pending > 0 { time.endWork() }
    }
    return steps
  }

  @Test func `moves within each other end in the order of their limits`() {
    var time = VirtualTime()
    time.sleep(1, until: .seconds(1))
    time.sleep(2, until: .seconds(3))
    time.begin(.advance(to: .seconds(100)), 10)
    time.begin(.advance(to: .seconds(2)), 11)
    time.begin(.next(hasMoved: false), 12)
    let steps = settle(&time)
    #expect(
      steps == [
        .wake([1]), .end(12, hasMoved: true), .end(11, hasMoved: true), .wake([2]), .end(10, hasMoved: true),
      ])
    #expect(time.now == .seconds(100))
  }

  @Test func `a run continues after a move that woke nobody`() {
    var time = VirtualTime()
    time.sleep(1, until: .seconds(10))
    time.beginRun()
    time.begin(.advance(to: .seconds(1)), 10)
    let steps = settle(&time)
    #expect(steps == [.end(10, hasMoved: true), .wake([1])])
    #expect(time.now == .seconds(10))
  }

  /// Lets the main thread do its rounds, and returns the decision.
  private func decide(_ time: inout VirtualTime, isHeld: Bool = false) -> VirtualTime.Look {
    while time.endRound() == .round {}
    return time.decide(isHeld: isHeld)
  }

  @Test func `work that ends while the clock decides is followed by new rounds of the main thread`() {
    var time = VirtualTime()
    time.sleep(1, until: .seconds(1))
    time.beginRun()
    var looks = [time.look()]
    while time.endRound() == .round {}
    time.beginWork()
    time.endWork()
    looks.append(time.look())
    #expect(looks == [true, false])
    var decisions = [time.decide(isHeld: false)]
    decisions.append(decide(&time))
    #expect(decisions == [.round, .step(.wake([1]))])
  }

  @Test func `a held clock rests until it looks again`() {
    var time = VirtualTime()
    time.sleep(1, until: .seconds(1))
    time.beginRun()
    #expect(time.isBusy)
    var looks = [time.look()]
    var decisions = [decide(&time, isHeld: true)]
    #expect(time.now == .zero)
    looks.append(time.lookAgain())
    // The other clock lets it go a second time before the rounds have ended.
    looks.append(time.lookAgain())
    decisions.append(decide(&time))
    #expect(looks == [true, true, false])
    #expect(decisions == [.rest, .step(.wake([1]))])
  }

  @Test func `many sleeps are woken in order, and cancelled ones are forgotten`() {
    var time = VirtualTime()
    let count = 20_000
    for id in 0..<count { time.sleep(id, until: .seconds((id * 7919) % count)) }
    let cancelled = stride(from: 0, to: count, by: 2).filter { time.cancelSleep($0) }
    #expect(cancelled.count == count / 2)
    var woken: [Int] = []
    while case let ids = time.wake(), !ids.isEmpty { woken += ids }
    #expect(woken.count == count / 2)
    #expect(woken.map { ($0 * 7919) % count } == woken.map { ($0 * 7919) % count }.sorted())
  }
}
