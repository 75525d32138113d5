import ErrandCore

/// A stack of scopes that follows a controller with a stack of pages.
@MainActor final class FollowedStack {
  private struct Page {
    weak var holder: ScopeHolder?
    let scope: RequestScope
  }

  let stack: ScopeStack
  private var state = NavigationState<Int>()
  private var pages: [Int: Page] = [:]

  init(_ name: String, in parent: RequestScope?) { stack = ScopeStack(name, in: parent) }

  /// Records the pages that the controller has now.
  /// - Parameters:
  ///   - isLeaving: Returns true for a page that is not shown any more, but may return.
  ///   - onLook: Called when one of the pages has moved.
  func follow(
    _ shown: [any ScopeOwner], isLeaving: (any ScopeOwner) -> Bool, onLook: @escaping @MainActor () -> Void
  ) {
    let holders = shown.map(ScopeHolder.of)
    let hasChanged = state.follow(holders.map(\.id)) { id in
      pages[id]?.holder?.owner.map(isLeaving) ?? false
    }
    guard hasChanged else { return }
    for (owner, holder) in zip(shown, holders) where pages[holder.id] == nil {
      let scope = stack.makePage(owner.scopeName)
      pages[holder.id] = Page(holder: holder, scope: scope)
      scope.whenEnded { [weak holder] in onMainActor { holder?.leave() } }
      holder.onLook[ObjectIdentifier(self)] = onLook
    }
    stack.setPages(state.pages.compactMap { pages[$0]?.scope })
    let staying = Set(state.pages)
    for (id, page) in pages where !staying.contains(id) {
      page.holder?.onLook[ObjectIdentifier(self)] = nil
      pages[id] = nil
    }
    for holder in holders { holder.look() }
  }
}
