import ErrandCore
import Foundation
import Testing

@testable import ErrandOutbox

@Suite struct EventLogTests {
  private let log = EventLog()
  private let date = Date(timeIntervalSince1970: 0)

  private func add(_ step: OutboxEvent.Step, reading: Int64) {
    log.add(
      OutboxEvent(id: OutboxID(rawValue: "a"), lane: nil, step: step, date: date),
      from: OutboxRow.Reading(reading))
  }

  /// The names of the steps up to the first outcome, or of all steps if the request's end is final.
  private func steps(_ events: AsyncStream<OutboxEvent>) async -> [String] {
    var steps: [String] = []
    for await event in events { steps.append("\(event.step)".prefix { $0.isLetter }.description) }
    return steps
  }

  @Test func `an attempt that is reported before the retry that caused it is sorted after it`() async {
    add(.stored, reading: 1)
    add(.deadLettered(reason: "400", response: nil), reading: 2)
    // The retry is reading 3, and is reported last.
    add(.attempting(1), reading: 4)
    add(.stored, reading: 3)
    add(.delivered(.unknown), reading: 5)
    #expect(await steps(log.events) == ["stored", "deadLettered", "stored", "attempting", "delivered"])
    #expect(await steps(log.eventsOfLife) == ["stored", "attempting", "delivered"])
    #expect(log.steps == 5)
  }

  @Test func `an outcome of which only the end is reported is sorted after the retry that caused it`() async {
    add(.stored, reading: 1)
    add(.expired, reading: 2)
    add(.delivered(.unknown), reading: 5)
    #expect(await steps(log.events) == ["stored", "expired", "stored", "delivered"])
  }

  @Test func `a dropped dead letter does not count as stored again`() async {
    add(.stored, reading: 1)
    add(.deadLettered(reason: "400", response: nil), reading: 2)
    add(.dropped(reason: "by hand"), reading: 3)
    #expect(await steps(log.events) == ["stored", "deadLettered", "dropped"])
  }

  @Test func `an observer that starts after the retry sees the steps that the log keeps`() async {
    add(.stored, reading: 1)
    add(.expired, reading: 2)
    add(.attempting(1), reading: 4)
    let events = log.events
    add(.delivered(.unknown), reading: 5)
    #expect(await steps(events) == ["stored", "expired", "stored", "attempting", "delivered"])
  }

  @Test func `only the last hundred events are kept, including those since the last retry`() async {
    add(.stored, reading: 1)
    for number in 1...300 { add(.attempting(number), reading: Int64(number + 1)) }
    add(.expired, reading: 400)
    add(.delivered(.unknown), reading: 500)
    #expect(await steps(log.events).count == 100)
    #expect(await steps(log.eventsOfLife) == ["stored", "delivered"])
  }
}
