/// Decides which pages a navigation stack has while its controller moves from one page to another. Pure.
///
/// A page that leaves stays in the stack until the movement has ended, because a swipe back may be abandoned.
struct NavigationState<Page: Hashable & Sendable>: Sendable {
  /// The pages that have not ended, from the root to the top.
  private(set) var pages: [Page] = []

  /// Records the pages that the controller has now.
  /// - Parameters:
  ///   - shown: The controller's pages, from the root to the top.
  ///   - isLeaving: Returns true for a page that is not shown any more, but may return.
  /// - Returns: True if the pages have changed.
  mutating func follow(_ shown: [Page], isLeaving: (Page) -> Bool) -> Bool {
    let staying = Set(shown)
    let next = shown + pages.filter { !staying.contains($0) && isLeaving($0) }
    defer { pages = next }
    return next != pages
  }
}
