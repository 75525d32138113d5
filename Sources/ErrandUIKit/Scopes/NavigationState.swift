/// Decides which pages a navigation stack has while its controller moves from one to another. Pure.
///
/// A page that leaves stays until the movement has ended: a swipe back may be given up, and then it never left.
struct NavigationState<Page: Hashable & Sendable>: Sendable {
  /// The pages that have not ended, from the root to the top.
  private(set) var pages: [Page] = []

  /// Takes note of what the controller shows now.
  /// - Parameters:
  ///   - shown: The controller's pages, from the root to the top.
  ///   - isLeaving: True of a page that is not shown any more, and may return.
  /// - Returns: True if the pages have changed.
  mutating func follow(_ shown: [Page], isLeaving: (Page) -> Bool) -> Bool {
    let staying = Set(shown)
    let next = shown + pages.filter { !staying.contains($0) && isLeaving($0) }
    defer { pages = next }
    return next != pages
  }
}
