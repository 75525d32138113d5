/// The rules of a navigation stack. Entries lie from bottom to top: pages, each with what was presented over it right above
/// it. What leaves is returned topmost first, for that is the order in which it ends.
struct ScopeStackState<Page: Equatable, Overlay: Equatable> {
  enum Entry: Equatable {
    case page(Page)
    case overlay(Overlay)
  }

  private(set) var entries: [Entry] = []
  private(set) var hasEnded = false

  /// From the root to the top.
  var pages: [Page] {
    entries.compactMap { entry in if case .page(let page) = entry { page } else { nil } }
  }

  var top: Page? { indexOfTop.flatMap(page(at:)) }

  /// What was presented last, over whichever page.
  var lastOverlay: Overlay? { indexOfLastOverlay.flatMap(overlay(at:)) }

  /// What covers the top page, or the bare stack if it has none.
  var overlayOverTop: Overlay? { entries.indices.last.flatMap(overlay(at:)) }

  /// False if the stack has ended.
  mutating func push(_ page: Page) -> Bool {
    guard !hasEnded else { return false }
    entries.append(.page(page))
    return true
  }

  /// The top page leaves, with what it presents. The root stays.
  mutating func pop() -> [Entry] {
    guard let index = indexOfTop, entries[..<index].contains(where: \.isPage) else { return [] }
    return cut(from: index)
  }

  /// All pages above this one leave. It keeps what it presents. Nothing happens if it is not in the stack.
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

  /// False if `page` is not the top any more, presents something already, or the stack has ended.
  mutating func present(_ overlay: Overlay, over page: Page?) -> Bool {
    guard !hasEnded, page == top, overlayOverTop == nil else { return false }
    entries.append(.overlay(overlay))
    return true
  }

  /// What was presented last leaves. No page does.
  mutating func dismiss() -> Overlay? {
    guard let index = indexOfLastOverlay, let overlay = overlay(at: index) else { return nil }
    entries.remove(at: index)
    return overlay
  }

  /// It has ended by itself.
  mutating func forget(_ overlay: Overlay) { entries.removeAll { $0 == .overlay(overlay) } }

  /// Everything leaves, and nothing comes any more.
  mutating func end() -> [Entry] {
    hasEnded = true
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
