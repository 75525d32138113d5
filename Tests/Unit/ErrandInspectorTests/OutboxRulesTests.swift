import ErrandCore
import ErrandServing
import Foundation
import Testing

@testable import ErrandInspector
@testable import ErrandOutbox

@Suite struct OutboxRulesTests {
  private func reading(_ minute: Double, all: Int, delivered: Int, oldest: Double? = nil)
    -> OutboxHour.Reading
  {
    OutboxHour.Reading(at: minute * 60_000, all: all, delivered: delivered, oldest: oldest)
  }

  @Test func `an hour counts what was stored and delivered in each minute`() {
    var hour = OutboxHour()
    hour.take(reading(100, all: 50, delivered: 20))
    hour.take(reading(100.5, all: 53, delivered: 22, oldest: 100 * 60_000))
    hour.take(reading(101, all: 54, delivered: 22))
    #expect(hour.minutes.map(\.stored) == [3, 1])
    #expect(hour.minutes.map(\.delivered) == [2, 0])
    #expect(hour.minutes.map(\.oldestAge) == [30, 0])
  }

  @Test func `an hour counts requests that were removed before it read them`() {
    var hour = OutboxHour()
    hour.take(reading(1, all: 10, delivered: 10))
    hour.take(reading(1.1, all: 4, delivered: 4), stored: 3, delivered: 5)
    #expect(hour.minutes.map(\.stored) == [3])
    #expect(hour.minutes.map(\.delivered) == [5])
  }

  @Test func `a request that one reading counts and the next one sees is counted once`() {
    var hour = OutboxHour()
    hour.take(reading(1, all: 0, delivered: 0))
    hour.take(reading(1.1, all: 5, delivered: 5), stored: 7, delivered: 4)
    hour.take(reading(1.2, all: 9, delivered: 9), stored: 2, delivered: 5)
    #expect(hour.minutes.map(\.stored) == [9] && hour.minutes.map(\.delivered) == [9])
  }

  @Test func `an hour has at most 60 minutes`() {
    var hour = OutboxHour()
    for minute in 1...200 { hour.take(reading(Double(minute), all: minute, delivered: 0)) }
    #expect(hour.minutes.count == 60)
    #expect(hour.minutes.first?.at == 8_460_000.0)
    // A clock that was set to an earlier time adds to the last minute.
    hour.take(reading(150, all: 300, delivered: 0))
    #expect(hour.minutes.last?.at == 12_000_000.0)
  }

  private func event(_ id: String, _ step: OutboxEvent.Step) -> OutboxEvent {
    OutboxEvent(id: OutboxID(rawValue: id), lane: nil, step: step, date: Date(timeIntervalSince1970: 1))
  }

  @Test func `a history keeps the steps of each request, and forgets the oldest`() {
    var history = OutboxHistory(limit: 3)
    history.take(event("a", .stored))
    history.take(event("a", .failed(reason: "no connection", next: Date(timeIntervalSince1970: 3))))
    #expect(history[OutboxID(rawValue: "a")].map(\.kind) == ["stored", "failed"])
    #expect(
      history[OutboxID(rawValue: "a")].last?.text
        == "failed: no connection; the next attempt follows after 2.0 s")
    for _ in 0..<10 { history.take(event("b", .attempting(1))) }
    #expect(history[OutboxID(rawValue: "a")].isEmpty)
    #expect(history[OutboxID(rawValue: "b")].count == 3)
    #expect(history.takeNews() == (1, 0))
    #expect(history.takeNews() == (0, 0))
  }

  @Test func `a pending change begins once, and only if it was not undone`() {
    var pending = PendingActions()
    let action = InspectorAction(name: "drop", ids: ["a"])
    let first = pending.add(action, until: 10)
    let second = pending.add(action, until: 20)
    #expect(pending.beginDue(at: 9).isEmpty)
    #expect(pending.undo(second) && pending.undo(second))
    #expect(pending.begin(second) == nil)
    #expect(pending.beginDue(at: 25).map(\.id) == [first])
    #expect(pending.beginDue(at: 25).isEmpty && pending.begin(first) == nil && !pending.undo(first))
    pending.forget()
    pending.advance(first, by: 2)
    pending.advance(first, by: 3)
    #expect(pending.items.map(\.done) == [5])
    pending.end(first, failure: nil)
    #expect(pending.items.isEmpty)
  }

  @Test func `a change that failed says why until it is closed`() {
    var pending = PendingActions()
    let id = pending.add(InspectorAction(name: "drop"), until: 10)
    #expect(pending.begin(id)?.id == id)
    pending.end(id, failure: "the disk is full")
    #expect(pending.items.map(\.failure) == ["It failed: the disk is full"])
    #expect(pending.beginDue(at: 25).isEmpty)
    #expect(pending.undo(id) && pending.items.isEmpty)
  }

  @Test func `a change of fewer requests than it named says so`() {
    var pending = PendingActions()
    let id = pending.add(InspectorAction(name: "drop", count: 3), until: 10)
    _ = pending.begin(id)
    pending.advance(id, by: 1)
    pending.end(id, failure: nil)
    #expect(
      pending.items.first?.failure == "The other 2 were in another state by then, and stay as they are.")
  }

  @Test func `a change that may meet a waiting one is refused`() {
    var pending = PendingActions()
    let dead = OutboxFilter(state: .deadLettered, asked: 1)
    _ = pending.add(InspectorAction(name: "drop", ids: ["a", "b"], filter: dead), until: 10)
    #expect(pending.conflicts(with: InspectorAction(name: "retry", ids: ["b", "c"], filter: dead)))
    #expect(!pending.conflicts(with: InspectorAction(name: "retry", ids: ["c"], filter: dead)))
    #expect(pending.conflicts(with: InspectorAction(name: "drop", filter: dead)))
    #expect(!pending.conflicts(with: InspectorAction(name: "drop", filter: OutboxFilter(state: .stored))))
    let text = OutboxFilter(state: .stored, text: "a", asked: 1)
    let id = pending.add(InspectorAction(name: "drop", filter: text), until: 10)
    let same = OutboxFilter(state: .stored, text: "a", asked: 2)
    #expect(pending.conflicts(with: InspectorAction(name: "drop", filter: same)))
    let other = OutboxFilter(state: .stored, text: "b", asked: 2)
    #expect(!pending.conflicts(with: InspectorAction(name: "drop", filter: other)))
    #expect(pending.conflicts(with: InspectorAction(name: "retry", filter: other)))
    _ = pending.begin(id)
    #expect(pending.conflicts(with: InspectorAction(name: "retry", filter: other)))
    pending.end(id, failure: nil)
    #expect(!pending.conflicts(with: InspectorAction(name: "retry", filter: other)))
  }

  @Test func `what has not begun is forgotten`() {
    var pending = PendingActions()
    _ = pending.add(InspectorAction(name: "drop"), until: 10)
    pending.forget()
    #expect(pending.items.isEmpty)
  }

  private func statistics(_ change: (inout OutboxStatistics) -> Void) -> OutboxStatistics {
    var statistics = OutboxStatistics()
    statistics.counts = [.stored: 1]
    change(&statistics)
    return statistics
  }

  @Test func `an outbox whose requests are due and are not attempted has no process that delivers`() {
    var health = DeliveryHealth()
    let due = statistics { _ in }
    #expect(health.take(due, at: 0) == .unseen)
    #expect(health.take(due, at: 9_999) == .unseen)
    #expect(health.take(due, at: 10_000) == .nobody)
    #expect(health.take(due, delivers: true, at: 10_000) == .unseen)
    #expect(health.take(statistics { $0.counts[.attempting] = 1 }, at: 11_000) == .delivering)
    #expect(health.take(due, at: 12_000) == .delivering)
  }

  @Test func `an outbox tells why it does not deliver`() {
    var health = DeliveryHealth()
    #expect(health.take(statistics { $0.counts = [:] }, at: 0) == .idle)
    #expect(health.take(statistics { $0.isPaused = true }, at: 0) == .paused)
    #expect(health.take(statistics { $0.isHeld = true }, at: 0) == .held)
    #expect(health.take(statistics { $0.nextDue = 5 }, at: 0) == .waiting)
    #expect(health.take(statistics { $0.nextDue = 5 }, heldOrigins: 1, at: 0) == .origins)
    #expect(health.take(statistics { $0.counts = [.deadLettered: 3] }, at: 0) == .idle)
  }

  @Test func `the page's filter is read from a query and from an action`() throws {
    let routes = InspectorRoutes(token: "t", port: 80)
    let target = "/t/outbox/requests?state=dead-letter&lane=a+b%2Fc&text=No&after=7&limit=9000"
    let request = ServedRequest(method: .get, target: target, fields: ["Host": "127.0.0.1:80"])
    guard case .requests(let filter, let after, let limit) = routes.route(request) else {
      Issue.record("not a page of requests")
      return
    }
    #expect(filter.state == .deadLettered)
    #expect(filter.lane == "a b/c")
    #expect(filter.text == "no")
    #expect((after, limit) == (7, 500))
    let action = try JSONDecoder().decode(
      InspectorAction.self,
      from: Data(#"{"name":"retry","filter":{"state":"stored","origin":"B.test"}}"#.utf8))
    #expect(action.filter?.state == .stored)
    #expect(action.filter?.origin == "b.test")
    #expect(action.filter?.isPlain == false)
  }
}
