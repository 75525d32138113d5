import ErrandTesting
import Testing

@testable import ErrandCore

/// Many threads at once. What is counted must add up, whoever was first.
@Suite struct RequestScopeStressTests {
  private struct Entered: Sendable {
    let signal: StopSignal
    let hasLeft: Bool
  }

  @Test func `whoever enters while the scope ends is refused or called off, once`() async {
    for round in 0..<200 {
      let outer = RequestScope("outer")
      let inner = RequestScope("inner", in: outer)
      let calledOff = EventLog()
      let entered = await withTaskGroup(of: [Entered].self) { group in
        for worker in 0..<4 {
          group.addTask {
            var entered: [Entered] = []
            for step in 0..<50 {
              let signal = StopSignal()
              _ = signal.onStop { calledOff.note("off") }
              if let membership = try? (step + worker).isMultiple(of: 2)
                ? inner.enter(signal) : outer.enter(signal)
              {
                if step.isMultiple(of: 3) { membership.leave() }
                entered.append(Entered(signal: signal, hasLeft: step.isMultiple(of: 3)))
              }
              if step == round % 50, worker < 2 { (worker == 0 ? inner : outer).end() }
            }
            return entered
          }
        }
        return await group.reduce(into: []) { $0 += $1 }
      }
      // One that has left may have been called off before.
      #expect(entered.allSatisfy { $0.hasLeft || $0.signal.stopped != nil })
      #expect(calledOff.events.count == entered.count { $0.signal.stopped != nil })
      #expect(outer.count == 0)
      #expect(inner.count == 0)
    }
  }

  @Test func `many that call off at once call each off once, and the scope goes on`() async {
    let scope = RequestScope("scope")
    let calledOff = EventLog()
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask { for _ in 0..<500 { scope.onEnd { calledOff.note("off") } } }
        group.addTask { for _ in 0..<200 { scope.cancelAll() } }
      }
    }
    scope.cancelAll()
    #expect(calledOff.events.count == 2000)
    #expect(scope.count == 0)
    #expect(!scope.hasEnded)
  }

  @Test func `scopes that come and go inside one that ends all end`() async {
    for _ in 0..<100 {
      let app = RequestScope("app")
      let calledOff = EventLog()
      await withTaskGroup { group in
        for _ in 0..<4 {
          group.addTask {
            for _ in 0..<20 {
              let page = RequestScope("page", in: app)
              let view = RequestScope("view", in: page)
              view.onEnd { calledOff.note("view") }
              page.onEnd { calledOff.note("page") }
            }
          }
        }
        group.addTask { app.end() }
      }
      #expect(calledOff.events.count == 160)
      #expect(app.count == 0)
    }
  }
}
