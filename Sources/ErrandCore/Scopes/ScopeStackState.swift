/// The state of a navigation stack. Entries are ordered from bottom to top: pages, each followed by the
/// stacks presented over it. Removed entries are returned topmost first, the order in which they end.
struct ScopeStackState<Page: Equatable, Overlay: Equatable> {
  enum Entry: Equatable {
    case page(Page)
    case overlay(Overlay)
  }

  private(set) var entries: [Entry] = []
  private(set) var isCancelled = false

  /// The pages from the root to the top.
  var pages: [Page] {
    entries.compactMap { entry in if case .page(let page) = entry { page } else { nil } }
  }

  var top: Page? { indexOfTop.flatMap(page(at:)) }

  /// The overlay that was presented last, over whichever page.
  var lastOverlay: Overlay? { indexOfLastOverlay.flatMap(overlay(at:)) }

  /// The overlay over the top page, or over a stack without pages.
  var overlayOverTop: Overlay? { entries.indices.last.flatMap(overlay(at:)) }

  /// Pushes a page. Returns false if the stack has ended.
  mutating func push(_ page: Page) -> Bool {
    guard !isCancelled else { return false }
    entries.append(.page(page))
    return true
  }

  /// Removes the top page, with the overlays that it presents. The root stays.
  mutating func pop() -> [Entry] {
    guard let index = indexOfTop, entries[..<index].contains(where: \.isPage) else { return [] }
    return cut(from: index)
  }

  /// Removes all pages above this one. The overlays of this page stay. Does nothing if it is not in the
  /// stack.
  mutating func pop(to page: Page) -> [Entry] {
    guard let index = entries.firstIndex(of: .page(page)),
      let next = entries[(index + 1)...].firstIndex(where: \.isPage)
    else { return [] }
    return cut(from: next)
  }

  mutating func popToRoot() -> [Entry] {
    guard let root = pages.first else { return [] }
    return pop(to: root)
  }

  /// Replaces the present pages by these, bottom to top. The overlays of pages that stay remain over them.
  /// - Returns: The removed pages with their overlays; nil if the stack has ended.
  mutating func setPages(_ pages: [Page]) -> [Entry]? {
    guard !isCancelled else { return nil }
    var leaving: [Entry] = []
    var overlays: [[Entry]] = Array(repeating: [], count: pages.count)
    var bottom: [Entry] = []
    var place: Int?
    var isBottom = true
    for entry in entries {
      if case .page(let page) = entry {
        isBottom = false
        place = pages.firstIndex(of: page)
        if place == nil { leaving.append(entry) }
      } else if isBottom {
        bottom.append(entry)
      } else if let place {
        overlays[place].append(entry)
      } else {
        leaving.append(entry)
      }
    }
    entries = bottom
    for (page, over) in zip(pages, overlays) { entries += [.page(page)] + over }
    return leaving.reversed()
  }

  /// Presents an overlay. Returns false if `page` is no longer the top, already presents an overlay, or the
  /// stack has ended.
  mutating func present(_ overlay: Overlay, over page: Page?) -> Bool {
    guard !isCancelled, page == top, overlayOverTop == nil else { return false }
    entries.append(.overlay(overlay))
    return true
  }

  /// Removes the overlay that was presented last. No page is removed.
  mutating func dismiss() -> Overlay? {
    guard let index = indexOfLastOverlay, let overlay = overlay(at: index) else { return nil }
    entries.remove(at: index)
    return overlay
  }

  /// Removes an overlay that was ended directly.
  mutating func forget(_ overlay: Overlay) { entries.removeAll { $0 == .overlay(overlay) } }

  /// Removes all entries, and accepts no more.
  mutating func end() -> [Entry] {
    isCancelled = true
    return cut(from: 0)
  }

  private var indexOfTop: Int? { entries.lastIndex(where: \.isPage) }
  private var indexOfLastOverlay: Int? { entries.lastIndex { !$0.isPage } }

  private func page(at index: Int) -> Page? {
    if case .page(let page) = entries[index] { page } else { nil }
  }

  private func overlay(at index: Int) -> Overlay? {
    if case .overlay(let overlay) = entries[index] { overlay } else { nil }
  }

  private mutating func cut(from index: Int) -> [Entry] {
    defer { entries.removeSubrange(index...) }
    return entries[index...].reversed()
  }
}

extension ScopeStackState.Entry {
  fileprivate var isPage: Bool { if case .page = self { true } else { false } }
}

extension ScopeStackState.Entry: Sendable where Page: Sendable, Overlay: Sendable {}
extension ScopeStackState: Sendable where Page: Sendable, Overlay: Sendable {}
