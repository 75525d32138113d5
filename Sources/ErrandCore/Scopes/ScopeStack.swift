/// The scopes of a navigation stack: one for each page, and further stacks that are presented over a page. It
/// does not depend on any user interface; mirror the changes of the real stack in it.
///
/// ```swift
/// let shop = ScopeStack("shop")
/// let list = shop.push("list")
/// let item = shop.push("item")
/// let cart = shop.present("cart")
/// cart.push("payment")
/// shop.dismiss()    // ends cart and its payment page; list and item stay
/// shop.pop()        // ends item
/// ```
///
/// Pages that leave are ended topmost first, each after the stacks that it presents. The stack keeps its
/// pages' scopes alive. When the last reference to the stack is released, all of its scopes end.
public final class ScopeStack: Sendable {
  /// The scope of requests that belong to the stack as a whole, whichever page is on top.
  public let scope: RequestScope
  private let state = Locked(ScopeStackState<RequestScope, ScopeStack>())

  /// Creates a stack without pages.
  /// - Parameters:
  ///   - name: The name of the stack's own scope. Default: empty.
  ///   - parent: The scope that the stack ends with. Default: nil.
  public init(_ name: String = "", in parent: RequestScope? = nil) {
    scope = RequestScope(name, in: parent)
  }

  deinit { end() }

  /// True if the stack has ended, so that it accepts no more pages.
  public var isCancelled: Bool { scope.isCancelled }

  /// The pages from the root to the top. Empty once the stack has ended.
  public var pages: [RequestScope] { isCancelled ? [] : state.withLock { $0.pages } }

  /// The page on top, below a presented stack; nil without pages, and once the stack has ended.
  public var top: RequestScope? { isCancelled ? nil : state.withLock { $0.top } }

  /// The stack that was presented last and has not ended; nil if nothing is presented.
  public var presented: ScopeStack? {
    while let last = state.withLock({ $0.lastOverlay }) {
      if !last.isCancelled { return last }
      state.withLock { $0.forget(last) }
    }
    return nil
  }

  /// Pushes a new page. If the stack has ended, the page has ended, too.
  @discardableResult
  public func push(_ name: String = "") -> RequestScope {
    let page = RequestScope(name, in: scope)
    if !state.withLock({ $0.push(page) }) { page.end() }
    return page
  }

  /// Ends the top page and the stacks that it presents. The root is not popped: call `end()` on the stack
  /// instead.
  /// - Returns: The page, or nil if no page was above the root.
  @discardableResult
  public func pop() -> RequestScope? { end(state.withLock { $0.pop() }).first }

  /// Ends all pages above `page` and the stacks that they present. Stacks that `page` presents stay. Does
  /// nothing if `page` is not in the stack.
  /// - Returns: The pages that were ended, topmost first.
  @discardableResult
  public func pop(to page: RequestScope) -> [RequestScope] { end(state.withLock { $0.pop(to: page) }) }

  /// Ends all pages above the root and the stacks that they present.
  /// - Returns: The pages that were ended, topmost first.
  @discardableResult
  public func popToRoot() -> [RequestScope] { end(state.withLock { $0.popToRoot() }) }

  /// Creates a page in the stack's scope that is not on the stack yet. `setPages` puts it there.
  package func makePage(_ name: String = "") -> RequestScope { RequestScope(name, in: scope) }

  /// Replaces the present pages, from the root to the top, as a navigation controller's `setViewControllers`
  /// does. Pages that are not among the new ones end, topmost first, with the stacks that they present. The
  /// others stay, whatever their new position. If the stack has ended, the pages have ended, too.
  /// - Parameter pages: Pages of this stack, and new ones of `makePage`.
  /// - Returns: The pages that were ended.
  @discardableResult
  package func setPages(_ pages: [RequestScope]) -> [RequestScope] {
    guard let leaving = state.withLock({ $0.setPages(pages) }) else {
      for page in pages { page.end() }
      return []
    }
    return end(leaving)
  }

  /// Presents another stack over the top page. If a stack is already presented, the new one is presented over
  /// that one's top page.
  /// - Returns: A stack without pages, to push the first page onto. It ends when the page under it ends.
  @discardableResult
  public func present(_ name: String = "") -> ScopeStack {
    while true {
      let (top, overlay) = state.withLock { ($0.top, $0.overlayOverTop) }
      if let overlay {
        if !overlay.isCancelled { return overlay.present(name) }
        state.withLock { $0.forget(overlay) }
        continue
      }
      let new = ScopeStack(name, in: top ?? scope)
      // Another thread may have pushed, popped or presented in between: then the loop looks up the page
      // again.
      if state.withLock({ $0.present(new, over: top) }) || new.isCancelled { return new }
    }
  }

  /// Ends the stack that this stack presented last, with all stacks that are presented over it. It never ends
  /// a page of this stack. A presented stack that closes itself calls `end()`.
  /// - Returns: The stack that was ended, or nil if nothing is presented.
  @discardableResult
  public func dismiss() -> ScopeStack? {
    while let last = state.withLock({ $0.dismiss() }) {
      // A stack that was ended directly is no longer visible, so it is skipped.
      guard !last.isCancelled else { continue }
      last.end()
      return last
    }
    return nil
  }

  /// Ends every page, topmost first, all presented stacks, and the stack itself, permanently. The reason in
  /// the requests' errors is `.scopeEnded` with the name of the stack.
  public func end() { cancel(reason: .scopeEnded(scope.name)) }

  /// Ends every page, topmost first, all presented stacks, and the stack itself, permanently.
  /// - Parameter reason: The reason in the errors of their requests, and of requests that enter later.
  public func cancel(reason: CancellationReason) {
    for tell in prepareEnd(reason) { tell() }
  }

  private func prepareEnd(_ reason: CancellationReason) -> [@Sendable () -> Void] {
    let tells = state.withLock({ $0.end() }).flatMap { entry in
      switch entry {
      case .page(let page): page.prepareEnd(reason)
      case .overlay(let stack): stack.prepareEnd(reason)
      }
    }
    return tells + scope.prepareEnd(reason)
  }

  /// Ends the entries. Each page's name is the reason, also for the stacks that it presents, which come
  /// before it.
  private func end(_ entries: [ScopeStackState<RequestScope, ScopeStack>.Entry]) -> [RequestScope] {
    var pages: [RequestScope] = []
    var above: [ScopeStack] = []
    var tells: [@Sendable () -> Void] = []
    for entry in entries {
      switch entry {
      case .overlay(let stack): above.append(stack)
      case .page(let page):
        for stack in above { tells += stack.prepareEnd(.scopeEnded(page.name)) }
        above = []
        tells += page.prepareEnd(.scopeEnded(page.name))
        pages.append(page)
      }
    }
    for tell in tells { tell() }
    return pages
  }
}

extension ScopeStack: Equatable {
  /// Two stacks are equal if they are the same object.
  public static func == (left: ScopeStack, right: ScopeStack) -> Bool { left === right }
}
