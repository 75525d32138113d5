import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCore

@Suite(.timeLimit(.minutes(1))) struct CallEventsTests {
  private func events(_ listener: any EventListener) throws -> CallEvents {
    var configuration = ClientConfiguration()
    configuration.listeners = [listener]
    let source = try #require(EventSource(configuration, Timeline(ContinuousClock())))
    return source.begin(.get("http://a.test/"))
  }

  @Test func `events from concurrent threads are delivered one at a time, and none after the end`()
    async throws
  {
    for _ in 0..<200 {
      let recorder = EventRecorder()
      let events = try events(recorder)
      await withTaskGroup { group in
        for number in 1...4 {
          group.addTask {
            for step in 1...5 { events.tell(.coalesced(with: UInt64(number * 10 + step))) }
            if number == 1 { events.tell(.cancelled(.callCancelled)) }
          }
        }
      }
      #expect(recorder.problems.isEmpty)
      let steps = recorder.steps()
      #expect(steps.filter { $0.hasPrefix("cancelled") }.count == 1)
      for number in 1...4 {
        // An event after the end is dropped, and the events before it arrive in order.
        let own = steps.filter { $0.hasPrefix("shares #\(number)") }
        #expect(own == own.sorted())
        if number == 1 { #expect(own.count == 5) }
      }
    }
  }

  @Test func `an event that a listener causes is delivered after the event that it is handling`() throws {
    let inner = Locked<CallEvents?>(nil)
    let recorder = EventRecorder { event in
      if case .firstByte = event.kind { inner.withLock { $0 }?.tell(.validated) }
    }
    let events = try events(recorder)
    inner.withLock { $0 = events }
    events.tell(.firstByte)
    #expect(recorder.steps() == ["started", "received the first byte", "accepted the response"])
    #expect(recorder.problems.isEmpty)
    inner.withLock { $0 = nil }
  }

  @Test func `an event that a listener reads later has the time and the date at which it happened`()
    async throws
  {
    let kept = Locked<[CallEvent]>([])
    let (clock, began) = (VirtualClock(), Date(timeIntervalSince1970: 1000))
    var configuration = ClientConfiguration()
    configuration.listeners = [EventRecorder { event in kept.withLock { $0.append(event) } }]
    let timeline = Timeline(clock)
    configuration.date = { began + timeline.now().seconds }
    let source = try #require(EventSource(configuration, timeline))
    let events = source.begin(.get("http://a.test/"))
    await clock.advance(by: .seconds(2))
    events.tell(.validated)
    await clock.advance(by: .seconds(5))
    let times = kept.withLock { $0 }.map(\.time)
    #expect(times == [.zero, .seconds(2)])
    let dates = kept.withLock { $0 }.map(\.date)
    #expect(dates == [began, began + 2])
  }

  @Test func `events from the transport of a failed attempt are dropped`() throws {
    let recorder = EventRecorder()
    let events = try events(recorder)
    events.attemptStarted(.get("http://a.test/"), attempt: 1, redirects: 0)
    let transport = ExchangeEvents(events, attempt: 1, redirects: 0)
    transport.fieldsSent()
    events.attemptFailed(RequestError(.connectionLost, message: "lost", reachedServer: true))
    transport.firstByte()
    #expect(recorder.steps().suffix(2) == ["sent the fields", "attempt failed: lost"])
  }

  #if ERRAND_LOCK_CHECKS
    @Test func `a lock is counted while it is held, and only then`() {
      let outer = Locked(0)
      let inner = Locked(0)
      #expect(HeldLocks.count == 0)
      let counts = outer.withLock { _ in (HeldLocks.count, inner.withLock { _ in HeldLocks.count }) }
      #expect(counts == (1, 2))
      #expect(HeldLocks.count == 0)
    }

    @Test func `a listener that is called under a lock ends a debug build`() async {
      await #expect(processExitsWith: .failure) {
        Locked(0).withLock { _ in HeldLocks.assertNone() }
      }
    }
  #endif
}
