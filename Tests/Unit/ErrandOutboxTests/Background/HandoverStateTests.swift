import Testing

@testable import ErrandOutbox

@Suite struct HandoverStateTests {
  private var state = HandoverState(limit: 3)

  private func lease(_ number: Int64) -> Lease {
    Lease(id: OutboxID(rawValue: "id \(number)"), number: number)
  }

  private func task(_ number: Int, _ lease: Int64?, _ progress: SessionTask.Progress) -> SessionTask {
    SessionTask(number: number, lease: lease.map(self.lease), progress: progress)
  }

  /// Hands one request over to the session, as task 7, and puts the app to sleep.
  private mutating func handOver(_ lease: Lease) {
    _ = state.sleep()
    _ = state.opened(rows: [], tasks: [])
    _ = state.claimed([lease], isMore: false)
    _ = state.prepared(lease, task: 7)
    _ = state.marked(lease, isDone: true)
  }

  @Test mutating func `a request is marked in the store before its task is resumed`() {
    let one = lease(1)
    #expect(state.sleep() == [.open])
    #expect(state.opened(rows: [], tasks: []) == [.claim(3)])
    #expect(state.claimed([one], isMore: false) == [])
    #expect(state.prepared(one, task: 7) == [.mark(one)])
    #expect(!state.mayBeSuspended)
    #expect(state.marked(one, isDone: true) == [.resume(task: 7), .rest])
    #expect(state.mayBeSuspended)
  }

  @Test mutating func `a request that another owner has by now is not sent`() {
    let one = lease(1)
    _ = state.sleep()
    _ = state.opened(rows: [], tasks: [])
    _ = state.claimed([one], isMore: false)
    _ = state.prepared(one, task: 7)
    #expect(state.marked(one, isDone: false) == [.cancel(task: 7), .rest])
  }

  @Test mutating func `an end is recorded once, and before the app may be suspended`() {
    let one = lease(1)
    handOver(one)
    state.awaitEvents()
    #expect(state.ended(one, .finished) == [.open])
    #expect(state.ended(one, .finished) == [])
    #expect(state.opened(rows: [one], tasks: []) == [.record(one, .finished), .claim(3)])
    #expect(state.ended(one, .finished) == [])
    #expect(state.claimed([], isMore: false) == [])
    #expect(state.drained() == [])
    #expect(!state.mayBeSuspended)
    #expect(state.recorded(one, isDone: true) == [.claim(3)])
    #expect(state.claimed([], isMore: false) == [.rest])
    #expect(state.mayBeSuspended)
  }

  @Test
  mutating func
    `after a relaunch a task is resumed that was not yet, and one that belongs to no request is cancelled`()
  {
    _ = state.sleep()
    let effects = state.opened(
      rows: [lease(1), lease(2)],
      tasks: [
        task(1, 1, .suspended), task(2, 2, .begun), task(3, 3, .waiting), task(4, nil, .waiting),
        task(5, 9, .ended),
      ])
    #expect(effects == [.cancel(task: 3), .cancel(task: 4), .resume(task: 1), .claim(1)])
  }

  @Test mutating func `of two tasks for one request, the one that has started is kept`() {
    _ = state.sleep()
    let effects = state.opened(rows: [lease(1)], tasks: [task(1, 1, .waiting), task(2, 1, .begun)])
    #expect(effects == [.cancel(task: 1), .claim(2)])
  }

  @Test mutating func `a request is lost if its task is missing twice`() {
    let one = lease(1)
    _ = state.wake()
    #expect(state.opened(rows: [one], tasks: []) == [.settle])
    #expect(state.settled(tasks: []) == [.record(one, .lost)])
    #expect(state.recorded(one, isDone: true) == [.rest])
  }

  @Test mutating func `a request is not lost if its task is found late`() {
    _ = state.wake()
    _ = state.opened(rows: [lease(1)], tasks: [])
    #expect(state.settled(tasks: [task(1, 1, .begun)]) == [.rest])
  }

  @Test
  mutating func `a task that disappears while the app runs is looked for once more before it counts as lost`()
  {
    let one = lease(1)
    _ = state.wake()
    _ = state.opened(rows: [one], tasks: [task(1, 1, .begun)])
    #expect(state.checked(tasks: [task(1, 1, .begun)]) == [])
    #expect(state.checked(tasks: []) == [.settle])
    #expect(state.settled(tasks: []) == [.record(one, .lost)])
  }

  @Test mutating func `an acceptance that arrives after the attempt was given up is recorded, too`() {
    let one = lease(1)
    _ = state.wake()
    _ = state.opened(rows: [one], tasks: [])
    _ = state.settled(tasks: [])
    #expect(state.ended(one, .finished) == [])
    #expect(state.recorded(one, isDone: true) == [.record(one, .finished)])
    #expect(state.recorded(one, isDone: true) == [.rest])
    #expect(state.ended(one, .finished) == [])
    #expect(state.ended(lease(2), .cancelled(hasBegun: true)) == [])
    #expect(state.ended(lease(2), .finished) == [.record(lease(2), .finished)])
  }

  @Test mutating func `no work starts again after the time has run out`() {
    let (one, two) = (lease(1), lease(2))
    _ = state.sleep()
    _ = state.opened(rows: [], tasks: [])
    _ = state.claimed([one], isMore: true)
    _ = state.prepared(one, task: 7)
    #expect(state.hurry() == [.cancel(task: 7), .rest])
    #expect(state.claimed([two], isMore: false) == [])
    #expect(state.requests.isEmpty)
    #expect(state.ended(one, .cancelled(hasBegun: false)) == [])
    #expect(state.mayBeSuspended)
    // It is recorded when the store is open again.
    #expect(state.sleep() == [.open])
    #expect(state.opened(rows: [one], tasks: []).contains(.record(one, .cancelled(hasBegun: false))))
  }

  @Test mutating func `tasks are left alone until it is known whether the app is visible`() {
    #expect(state.ended(lease(1), .finished) == [.open])
    let effects = state.opened(
      rows: [lease(1), lease(2)], tasks: [task(7, 2, .waiting), task(8, nil, .waiting)])
    #expect(effects == [.cancel(task: 8), .record(lease(1), .finished)])
    #expect(!state.mayBeSuspended)
  }

  @Test mutating func `a late acceptance cancels the next attempt, whose end is still reported`() {
    let two = lease(1)
    let one = Lease(id: two.id, number: two.number - 1)
    handOver(two)
    _ = state.wake()
    _ = state.opened(rows: [two], tasks: [SessionTask(number: 1, lease: two, progress: .begun)])
    #expect(state.ended(one, .finished) == [.record(one, .finished)])
    #expect(state.recorded(one, isDone: true, isOver: true) == [.cancel(task: 1), .rest])
    #expect(state.ended(two, .cancelled(hasBegun: true)) == [.record(two, .cancelled(hasBegun: true))])
  }

  @Test mutating func `the foreground takes back only requests that have not started`() {
    handOver(lease(1))
    #expect(state.wake() == [.open])
    let effects = state.opened(
      rows: [lease(1), lease(2)], tasks: [task(7, 1, .waiting), task(8, 2, .begun)])
    #expect(effects == [.cancel(task: 7), .rest])
    #expect(
      state.ended(lease(1), .cancelled(hasBegun: false)) == [.record(lease(1), .cancelled(hasBegun: false))])
  }

  @Test mutating func `a request whose handover is in progress when the app returns is given back`() {
    let (one, two, three) = (lease(1), lease(2), lease(3))
    _ = state.sleep()
    _ = state.opened(rows: [], tasks: [])
    _ = state.claimed([one, two], isMore: true)
    _ = state.prepared(one, task: 1)
    _ = state.wake()
    #expect(state.prepared(two, task: 2) == [.cancel(task: 2), .record(two, .cancelled(hasBegun: false))])
    #expect(state.marked(one, isDone: true) == [.cancel(task: 1)])
    #expect(state.claimed([three], isMore: false) == [.record(three, .cancelled(hasBegun: false))])
  }

  @Test mutating func `when the app has no time left, unmarked requests stay in the outbox`() {
    let (one, two) = (lease(1), lease(2))
    _ = state.sleep()
    _ = state.opened(rows: [], tasks: [])
    _ = state.claimed([one, two], isMore: true)
    _ = state.prepared(one, task: 1)
    #expect(state.hurry() == [.cancel(task: 1), .rest])
    #expect(state.mayBeSuspended)
    #expect(state.marked(one, isDone: true) == [])
    #expect(state.prepared(two, task: 2) == [.cancel(task: 2)])
  }

  @Test mutating func `an end that could not be recorded in time is recorded when the app runs again`() {
    let one = lease(1)
    handOver(one)
    _ = state.ended(one, .finished)
    _ = state.opened(rows: [one], tasks: [])
    _ = state.hurry()
    #expect(state.recorded(one, isDone: false) == [])
    #expect(state.wake() == [.open])
    #expect(state.opened(rows: [one], tasks: []) == [.record(one, .finished)])
    #expect(state.recorded(one, isDone: false) == [.record(one, .finished)])
  }

  @Test mutating func `the session has no more requests than the limit`() {
    let leases = (1...3).map { lease(Int64($0)) }
    _ = state.sleep()
    #expect(state.opened(rows: [leases[0]], tasks: [task(1, 1, .begun)]) == [.claim(2)])
    #expect(state.claimed([leases[1], leases[2]], isMore: true) == [])
    #expect(state.ended(leases[0], .finished) == [.record(leases[0], .finished), .claim(1)])
  }

  @Test func `a label names its attempt for any request id`() {
    for id in ["a", "two words", " ", "é/\u{0}"] {
      let lease = Lease(id: OutboxID(rawValue: id), number: .max)
      #expect(Lease(label: lease.label) == lease)
    }
    for label in ["", "1", "1 ", "x y", " 1"] { #expect(Lease(label: label) == nil) }
  }
}
