import TestSupport
import Testing

@testable import ErrandCore

@Suite struct RequestScopeTests {
  @Test func `ending a scope cancels its members, with its name as the reason`() throws {
    let page = RequestScope("profile")
    let cancellation = CancellationToken()
    _ = try page.enter(cancellation)
    page.end()
    #expect(cancellation.cause == .cancelled(.scopeEnded("profile")))
    #expect(page.isCancelled)
    #expect(page.count == 0)
  }

  @Test func `a member that has left is not cancelled, and leaving twice frees no other member's place`()
    throws
  {
    let page = RequestScope()
    let (first, second) = (CancellationToken(), CancellationToken())
    let membership = try page.enter(first)
    membership.leave()
    _ = try page.enter(second)
    membership.leave()
    #expect(page.count == 1)
    page.end()
    #expect(first.cause == nil)
    #expect(second.cause != nil)
  }

  @Test func `a scope remains usable after it has cancelled everything`() throws {
    let page = RequestScope("page")
    let (before, after) = (CancellationToken(), CancellationToken())
    let old = try page.enter(before)
    page.cancelAll(reason: .other("signed out"))
    #expect(before.cause == .cancelled(.other("signed out")))
    #expect(!page.isCancelled)
    _ = try page.enter(after)
    old.leave()
    #expect(page.count == 1)
    page.cancelAll()
    #expect(after.cause == .cancelled(.scopeEnded("page")))
  }

  @Test func `an ended scope accepts nothing, and gives the reason`() {
    let page = RequestScope("page")
    page.cancel(reason: .other("signed out"))
    page.end()
    let error = #expect(throws: RequestError.self) { try page.enter(CancellationToken()) }
    #expect(error?.cancellation == .other("signed out"))
    #expect(error?.isCancellation == true)
    #expect(page.count == 0)
  }

  @Test func `a scope ends when its last reference is released`() throws {
    let cancellation = CancellationToken()
    var page: RequestScope? = RequestScope("page")
    let membership = try page?.enter(cancellation)
    page = nil
    #expect(cancellation.cause == .cancelled(.scopeEnded("page")))
    membership?.leave()
  }

  @Test
  func `ending an outer scope ends its inner scopes, innermost first, and the reason names the outer one`()
    throws
  {
    let log = EventLog()
    let app = RequestScope("app")
    let page = RequestScope("page", in: app)
    let view = RequestScope("view", in: page)
    for (name, scope) in [("app", app), ("view", view), ("page", page)] { scope.onEnd { log.note(name) } }
    let cancellation = CancellationToken()
    _ = try view.enter(cancellation)
    #expect(app.count == 4)
    app.end()
    #expect(log.events == ["view", "page", "app"])
    #expect(cancellation.cause == .cancelled(.scopeEnded("app")))
    #expect(app.isCancelled && page.isCancelled && view.isCancelled)
  }

  @Test func `releasing an inner scope ends nothing in the outer scope`() throws {
    let app = RequestScope("app")
    var page: RequestScope? = RequestScope("page", in: app)
    let (outer, inner) = (CancellationToken(), CancellationToken())
    _ = try app.enter(outer)
    _ = try page?.enter(inner)
    page = nil
    #expect(inner.cause == .cancelled(.scopeEnded("page")))
    #expect(outer.cause == nil)
    #expect(app.count == 1)
  }

  @Test func `an inner scope does not retain the outer one`() throws {
    var app: RequestScope? = RequestScope("app")
    let page = RequestScope("page", in: app)
    let cancellation = CancellationToken()
    _ = try page.enter(cancellation)
    app = nil
    #expect(page.isCancelled)
    #expect(cancellation.cause == .cancelled(.scopeEnded("app")))
  }

  @Test func `a scope that is created in an ended scope has ended, too`() {
    let app = RequestScope("app")
    app.end()
    let page = RequestScope("page", in: app)
    #expect(page.isCancelled)
    let error = #expect(throws: RequestError.self) { try page.enter(CancellationToken()) }
    #expect(error?.cancellation == .scopeEnded("app"))
  }

  @Test(.computesLong) func `ending a hundred thousand nested scopes does not recurse`() {
    let log = EventLog()
    let outermost = RequestScope("outermost")
    var scopes = [outermost]
    for _ in 0..<100_000 { scopes.append(RequestScope("", in: scopes.last)) }
    scopes.last?.onEnd { log.note("innermost") }
    #expect(outermost.count == 1)
    outermost.end()
    #expect(log.events == ["innermost"])
    #expect(scopes.last?.isCancelled == true)
  }

  @Test func `an end handler may use the scopes that are ending`() throws {
    let log = EventLog()
    let app = RequestScope("app")
    let page = RequestScope("page", in: app)
    page.onEnd {
      log.note("page")
      // The outer scope has ended as well, so it runs this at once.
      app.onEnd { log.note("late") }
      #expect(RequestScope(in: page).isCancelled)
      #expect(app.count == 0)
      app.end()
      page.cancelAll()
    }
    app.onEnd { log.note("app") }
    app.end()
    #expect(log.events == ["page", "late", "app"])
  }

  @Test func `a member that enters because all others were cancelled is not cancelled`() {
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

  @Test func `a scope retains nothing of a call that has left it`() throws {
    let page = RequestScope()
    weak var cancellation: CancellationToken?
    do {
      let call = CancellationToken()
      cancellation = call
      try page.enter(call).leave()
    }
    #expect(cancellation == nil)
    #expect(page.count == 0)
  }

  @Test func `a scope retains nothing of an inner scope that has ended`() {
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

  @Test func `an end handler whose release ends a scope inside the same one does not deadlock`() {
    let app = RequestScope("app")
    let membership = {
      let inner = RequestScope("inner", in: app)
      // The handler alone holds the inner scope, which ends as the handler is released.
      return app.onEnd { #expect(inner.isCancelled) }
    }()
    membership.leave()
    #expect(app.count == 0)
  }
}
