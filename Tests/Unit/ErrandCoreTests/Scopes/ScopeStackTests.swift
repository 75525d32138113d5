import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore

@Suite struct ScopeStackTests {
  private let log = EventLog()

  private func watched(_ scope: RequestScope) -> RequestScope {
    scope.onEnd { [log] in log.note(scope.name) }
    return scope
  }

  @Test func `pop ends only the top page`() {
    let stack = ScopeStack("shop")
    let (list, item) = (watched(stack.push("list")), watched(stack.push("item")))
    #expect(stack.pop() == item)
    #expect(log.events == ["item"])
    #expect(stack.pages == [list])
    #expect(stack.top == list)
    #expect(!list.isCancelled)
  }

  @Test func `pop never removes the root`() {
    let stack = ScopeStack()
    let root = stack.push("root")
    #expect(stack.pop() == nil)
    #expect(stack.popToRoot().isEmpty)
    #expect(stack.pages == [root])
    #expect(!root.isCancelled)
  }

  @Test func `pop to a page ends the pages above it, topmost first`() {
    let stack = ScopeStack()
    let pages = ["a", "b", "c", "d"].map { watched(stack.push($0)) }
    #expect(stack.pop(to: pages[1]) == [pages[3], pages[2]])
    #expect(log.events == ["d", "c"])
    #expect(stack.pages == [pages[0], pages[1]])
    #expect(stack.pop(to: pages[3]).isEmpty)
    #expect(stack.pop(to: RequestScope("elsewhere")).isEmpty)
    #expect(stack.pages.count == 2)
  }

  @Test func `pop to the root ends all but the root`() {
    let stack = ScopeStack()
    for name in ["a", "b", "c"] { _ = watched(stack.push(name)) }
    stack.popToRoot()
    #expect(log.events == ["c", "b"])
    #expect(stack.pages.map(\.name) == ["a"])
  }

  @Test func `dismiss ends the presented stack, and none of the presenter's own requests`() throws {
    let stack = ScopeStack("shop")
    let page = stack.push("page")
    let own = CancellationToken()
    _ = try page.enter(own)
    let sheet = stack.present("sheet")
    _ = watched(sheet.push("first"))
    _ = watched(sheet.push("second"))
    let alert = sheet.present("alert")
    _ = watched(alert.push("question"))
    #expect(stack.presented == sheet)
    #expect(stack.dismiss() == sheet)
    #expect(log.events == ["question", "second", "first"])
    #expect(sheet.isCancelled && alert.isCancelled)
    #expect(own.cause == nil)
    #expect(!page.isCancelled)
    #expect(stack.dismiss() == nil)
    #expect(!page.isCancelled)
    #expect(stack.presented == nil)
  }

  @Test func `pop ends a page's presented stack before the page, with the page as the reason`() throws {
    let stack = ScopeStack()
    let root = stack.push("root")
    _ = watched(stack.push("page"))
    let sheet = stack.present("sheet")
    let cancellation = CancellationToken()
    _ = try watched(sheet.push("first")).enter(cancellation)
    stack.pop()
    #expect(log.events == ["first", "page"])
    #expect(cancellation.cause == .cancelled(.scopeEnded("page")))
    #expect(sheet.isCancelled)
    #expect(sheet.pages.isEmpty)
    #expect(!root.isCancelled)
  }

  @Test func `a presented stack remains while pages above its presenter are popped`() {
    let stack = ScopeStack()
    let root = stack.push("root")
    let sheet = stack.present("sheet")
    stack.push("page")
    stack.pop(to: root)
    #expect(!sheet.isCancelled)
    #expect(stack.presented == sheet)
  }

  @Test func `a second sheet is presented over the first, and ends with it`() {
    let stack = ScopeStack()
    stack.push("root")
    let first = stack.present("first")
    let second = stack.present("second")
    #expect(first.presented == second)
    first.dismiss()
    #expect(second.isCancelled)
    #expect(!first.isCancelled)
    let third = stack.present("third")
    stack.dismiss()
    #expect(first.isCancelled && third.isCancelled)
  }

  @Test func `a sheet that has closed itself does not block the next one`() {
    let stack = ScopeStack()
    let root = stack.push("root")
    stack.present("first").end()
    #expect(stack.presented == nil)
    let second = stack.present("second")
    #expect(!second.isCancelled)
    #expect(stack.dismiss() == second)
    stack.present("third").end()
    #expect(stack.dismiss() == nil)
    #expect(!root.isCancelled)
  }

  @Test func `ending the stack ends all pages, topmost first, and the stack accepts no more`() throws {
    let stack = ScopeStack("shop")
    _ = watched(stack.push("root"))
    let page = watched(stack.push("page"))
    _ = watched(stack.present("sheet").push("first"))
    _ = watched(stack.scope)
    let cancellation = CancellationToken()
    _ = try page.enter(cancellation)
    stack.end()
    #expect(log.events == ["first", "page", "root", "shop"])
    #expect(cancellation.cause == .cancelled(.scopeEnded("shop")))
    #expect(stack.isCancelled)
    #expect(stack.pages.isEmpty)
    #expect(stack.top == nil)
    #expect(stack.push("late").isCancelled)
    #expect(stack.present("late").isCancelled)
  }

  @Test func `a released stack ends its pages, and a stack ends with its parent`() {
    var stack: ScopeStack? = ScopeStack("shop")
    let page = stack?.push("page")
    stack = nil
    #expect(page?.isCancelled == true)
    let app = RequestScope("app")
    let other = ScopeStack("other", in: app)
    let root = other.push("root")
    app.end()
    #expect(other.isCancelled && root.isCancelled)
    #expect(other.pages.isEmpty)
    #expect(other.present("late").isCancelled)
  }

  @Test func `a request of the page below continues when the page above is popped`() async throws {
    let gate = StubGate()
    let stub = StubTransport(clock: VirtualClock()) {
      $0.url.path == "/list" ? .response(body: "list").behind(gate) : .stall
    }
    let client = Client(transport: stub)
    let stack = ScopeStack()
    let below = stack.push("list").task { try await client.send(.get("http://stub.test/list")) }
    let above = stack.push("item").task { try await client.send(.get("http://stub.test/item")) }
    try await stub.waitForRequests(2)
    stack.pop()
    let error = await #expect(throws: RequestError.self) { try await above.value }
    #expect(error?.isCancellation == true)
    gate.open()
    #expect(try await below.value.text == "list")
  }

  @Test func `many tasks may use a stack concurrently`() async {
    for _ in 0..<50 {
      let stack = ScopeStack("stack")
      stack.push("root")
      let pages = await withTaskGroup(of: [RequestScope].self) { group in
        for worker in 0..<4 { group.addTask { Self.exercise(stack, worker) } }
        group.addTask { stack.popToRoot() }
        return await group.reduce(into: stack.pages) { $0 += $1 }
      }
      stack.end()
      #expect(pages.allSatisfy { $0.isCancelled })
      #expect(stack.pages.isEmpty)
    }
  }

  private static func exercise(_ stack: ScopeStack, _ worker: Int) -> [RequestScope] {
    var pages: [RequestScope] = []
    for step in 0..<20 {
      switch (step + worker) % 5 {
      case 0, 1: pages.append(stack.push())
      case 2: pages.append(stack.present().push())
      case 3: stack.dismiss()
      default: stack.pop()
      }
    }
    return pages
  }
}
