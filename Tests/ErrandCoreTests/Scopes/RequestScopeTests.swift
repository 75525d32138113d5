import Testing

@testable import ErrandCore

@Suite struct RequestScopeTests {
  @Test func `ending a scope calls off what is in it, with its name as the reason`() throws {
    let page = RequestScope("profile")
    let signal = StopSignal()
    _ = try page.enter(signal)
    page.end()
    #expect(signal.stopped == .cancelled(.scopeEnded("profile")))
    #expect(page.hasEnded)
    #expect(page.count == 0)
  }

  @Test func `what has left is not called off, and leaving twice frees nobody's place`() throws {
    let page = RequestScope()
    let (first, second) = (StopSignal(), StopSignal())
    let membership = try page.enter(first)
    membership.leave()
    _ = try page.enter(second)
    membership.leave()
    #expect(page.count == 1)
    page.end()
    #expect(first.stopped == nil)
    #expect(second.stopped != nil)
  }

  @Test func `a scope that called everything off can be used again`() throws {
    let page = RequestScope("page")
    let (before, after) = (StopSignal(), StopSignal())
    let old = try page.enter(before)
    page.cancelAll(reason: .other("signed out"))
    #expect(before.stopped == .cancelled(.other("signed out")))
    #expect(!page.hasEnded)
    _ = try page.enter(after)
    old.leave()
    #expect(page.count == 1)
    page.cancelAll()
    #expect(after.stopped == .cancelled(.scopeEnded("page")))
  }

  @Test func `an ended scope takes nothing in, and says why`() {
    let page = RequestScope("page")
    page.end(reason: .other("signed out"))
    page.end()
    let error = #expect(throws: RequestError.self) { try page.enter(StopSignal()) }
    #expect(error?.cancellation == .other("signed out"))
    #expect(error?.isCancellation == true)
    #expect(page.count == 0)
  }

  @Test func `it ends when the last reference to it goes away`() throws {
    let signal = StopSignal()
    var page: RequestScope? = RequestScope("page")
    let membership = try page?.enter(signal)
    page = nil
    #expect(signal.stopped == .cancelled(.scopeEnded("page")))
    membership?.leave()
  }

  @Test func `ending the outer ends the inner, innermost first, and names the outer`() throws {
    let log = EventLog()
    let app = RequestScope("app")
    let page = RequestScope("page", in: app)
    let view = RequestScope("view", in: page)
    for (name, scope) in [("app", app), ("view", view), ("page", page)] { scope.onEnd { log.note(name) } }
    let signal = StopSignal()
    _ = try view.enter(signal)
    #expect(app.count == 4)
    app.end()
    #expect(log.events == ["view", "page", "app"])
    #expect(signal.stopped == .cancelled(.scopeEnded("app")))
    #expect(app.hasEnded && page.hasEnded && view.hasEnded)
  }

  @Test func `an inner scope that goes away takes nothing of the outer with it`() throws {
    let app = RequestScope("app")
    var page: RequestScope? = RequestScope("page", in: app)
    let (outer, inner) = (StopSignal(), StopSignal())
    _ = try app.enter(outer)
    _ = try page?.enter(inner)
    page = nil
    #expect(inner.stopped == .cancelled(.scopeEnded("page")))
    #expect(outer.stopped == nil)
    #expect(app.count == 1)
  }

  @Test func `an inner scope does not keep the outer alive`() throws {
    var app: RequestScope? = RequestScope("app")
    let page = RequestScope("page", in: app)
    let signal = StopSignal()
    _ = try page.enter(signal)
    app = nil
    #expect(page.hasEnded)
    #expect(signal.stopped == .cancelled(.scopeEnded("app")))
  }

  @Test func `a scope inside one that has ended has ended too`() {
    let app = RequestScope("app")
    app.end()
    let page = RequestScope("page", in: app)
    #expect(page.hasEnded)
    let error = #expect(throws: RequestError.self) { try page.enter(StopSignal()) }
    #expect(error?.cancellation == .scopeEnded("app"))
  }

  @Test func `nesting a hundred thousand deep is no recursion`() {
    let log = EventLog()
    let outermost = RequestScope("outermost")
    var scopes = [outermost]
    for _ in 0..<100_000 { scopes.append(RequestScope("", in: scopes.last)) }
    scopes.last?.onEnd { log.note("innermost") }
    #expect(outermost.count == 1)
    outermost.end()
    #expect(log.events == ["innermost"])
    #expect(scopes.last?.hasEnded == true)
  }

  @Test func `what is called off may use the scope from within`() throws {
    let log = EventLog()
    let app = RequestScope("app")
    let page = RequestScope("page", in: app)
    page.onEnd {
      log.note("page")
      // Refused, for the outer scope takes nothing in any more either.
      app.onEnd { log.note("late") }
      #expect(RequestScope(in: page).hasEnded)
      #expect(app.count == 0)
      app.end()
      page.cancelAll()
    }
    app.onEnd { log.note("app") }
    app.end()
    #expect(log.events == ["page", "late", "app"])
  }

  @Test func `what enters because all was called off stays`() {
    let log = EventLog()
    let app = RequestScope("app")
    let page = RequestScope("page", in: app)
    page.onEnd { app.onEnd { log.note("later") } }
    app.cancelAll()
    #expect(log.events.isEmpty)
    #expect(app.count == 1)
    app.end()
    #expect(log.events == ["later"])
  }

  @Test func `nothing is kept of a call that has left`() throws {
    let page = RequestScope()
    weak var signal: StopSignal?
    do {
      let call = StopSignal()
      signal = call
      try page.enter(call).leave()
    }
    #expect(signal == nil)
    #expect(page.count == 0)
  }

  @Test func `nothing is kept of a scope that has ended inside another`() {
    let app = RequestScope()
    weak var kept: EventLog?
    do {
      let log = EventLog()
      kept = log
      let page = RequestScope(in: app)
      page.onEnd { log.note("ended") }
    }
    #expect(kept == nil)
  }

  @Test func `an action whose release ends the same scope does not deadlock`() {
    let app = RequestScope("app")
    let membership = {
      let inner = RequestScope("inner", in: app)
      // The action alone holds the inner scope, which ends as the action is let go of.
      return app.onEnd { #expect(inner.hasEnded) }
    }()
    membership.leave()
    #expect(app.count == 0)
  }
}
