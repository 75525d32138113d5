import ErrandTesting
import Testing

@testable import ErrandCore

/// Many threads at once; the counts must be consistent for any order of events.
@Suite struct RequestScopeStressTests {
  private struct Entered: Sendable {
    let cancellation: CancellationToken
    let hasLeft: Bool
  }

  @Test func `a token that enters an ending scope is either refused or cancelled, once`() async {
    for round in 0..<200 {
      let outer = RequestScope("outer")
      let inner = RequestScope("inner", in: outer)
      let cancelled = EventLog()
      let entered = await withTaskGroup(of: [Entered].self) { group in
        for worker in 0..<4 {
          group.addTask {
            var entered: [Entered] = []
            for step in 0..<50 {
              let cancellation = CancellationToken()
              _ = cancellation.onCancel { cancelled.note("off") }
              if let membership = try? (step + worker).isMultiple(of: 2)
                ? inner.enter(cancellation) : outer.enter(cancellation)
              {
                if step.isMultiple(of: 3) { membership.leave() }
                entered.append(Entered(cancellation: cancellation, hasLeft: step.isMultiple(of: 3)))
              }
              if step == round % 50, worker < 2 { (worker == 0 ? inner : outer).end() }
            }
            return entered
          }
        }
        return await group.reduce(into: []) { $0 += $1 }
      }
      // A token that has left may have been cancelled before.
      #expect(entered.allSatisfy { $0.hasLeft || $0.cancellation.cause != nil })
      #expect(cancelled.events.count == entered.count { $0.cancellation.cause != nil })
      #expect(outer.count == 0)
      #expect(inner.count == 0)
    }
  }

  @Test func `concurrent cancellations cancel each member once, and the scope remains usable`() async {
    let scope = RequestScope("scope")
    let cancelled = EventLog()
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask { for _ in 0..<500 { scope.onEnd { cancelled.note("off") } } }
        group.addTask { for _ in 0..<200 { scope.cancelAll() } }
      }
    }
    scope.cancelAll()
    #expect(cancelled.events.count == 2000)
    #expect(scope.count == 0)
    #expect(!scope.isCancelled)
  }

  @Test func `nested scopes that are created while their parent ends all end`() async {
    for _ in 0..<100 {
      let app = RequestScope("app")
      let cancelled = EventLog()
      await withTaskGroup { group in
        for _ in 0..<4 {
          group.addTask {
            for _ in 0..<20 {
              let page = RequestScope("page", in: app)
              let view = RequestScope("view", in: page)
              view.onEnd { cancelled.note("view") }
              page.onEnd { cancelled.note("page") }
            }
          }
        }
        group.addTask { app.end() }
      }
      #expect(cancelled.events.count == 160)
      #expect(app.count == 0)
    }
  }
}
