import ErrandTesting
import Testing

@testable import ErrandCore

@Suite struct ScopeStackStateTests {
  private typealias State = ScopeStackState<Int, String>

  /// A list of pages with the overlay that each presents; the entry -1 is the stack below all pages.
  private struct Model {
    var pages: [(page: Int, overlay: String?)] = [(-1, nil)]

    mutating func cut(above index: Int) -> [State.Entry] {
      let leaving = pages[(index + 1)...].reversed()
      defer { pages.removeSubrange((index + 1)...) }
      return leaving.flatMap { level in (level.overlay.map { [.overlay($0)] } ?? []) + [.page(level.page)] }
    }
  }

  @Test(arguments: 1...40)
  func `exactly the entries that leave are returned, topmost first`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var state = State()
    var model = Model()
    for step in 0..<500 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4:
        let isPushed = state.push(step)
        #expect(isPushed)
        model.pages.append((step, nil))
      case 4:
        let expected = model.pages.count > 2 ? model.cut(above: model.pages.count - 2) : []
        #expect(state.pop() == expected)
      case 5:
        let page = Int.random(in: 0...step, using: &random)
        let index = model.pages.firstIndex { $0.page == page }
        let expected = index.map { model.cut(above: $0) } ?? []
        #expect(state.pop(to: page) == expected)
      case 6 where Int.random(in: 0..<4, using: &random) == 0:
        let expected = model.pages.count > 2 ? model.cut(above: 1) : []
        #expect(state.popToRoot() == expected)
      case 7:
        let top = model.pages.count - 1
        let page = model.pages[top].page
        let isPresentedElsewhere = state.present("elsewhere", over: -2)
        #expect(!isPresentedElsewhere)
        let isFree = model.pages[top].overlay == nil
        #expect(state.present("\(step)", over: page == -1 ? nil : page) == isFree)
        if isFree { model.pages[top].overlay = "\(step)" }
      case 9 where Bool.random(using: &random):
        let old = model.pages.dropFirst()
        var pages = old.map(\.page).filter { _ in Int.random(in: 0..<4, using: &random) > 0 } + [1000 + step]
        pages.shuffle(using: &random)
        let leaving = old.filter { !pages.contains($0.page) }.reversed().flatMap { level -> [State.Entry] in
          (level.overlay.map { [.overlay($0)] } ?? []) + [.page(level.page)]
        }
        #expect(state.setPages(pages) == leaving)
        model.pages =
          model.pages.prefix(1) + pages.map { page in (page, old.first { $0.page == page }?.overlay) }
      case 8:
        let last = model.pages.lastIndex { $0.overlay != nil }
        #expect(state.lastOverlay == last.flatMap { model.pages[$0].overlay })
        #expect(state.dismiss() == last.flatMap { model.pages[$0].overlay })
        if let last { model.pages[last].overlay = nil }
      default:
        guard let level = model.pages.indices.randomElement(using: &random) else { continue }
        guard let overlay = model.pages[level].overlay else { continue }
        state.forget(overlay)
        model.pages[level].overlay = nil
      }
      #expect(state.pages == model.pages.dropFirst().map(\.page))
      #expect(state.top == model.pages.dropFirst().last?.page)
      #expect(state.overlayOverTop == model.pages.last?.overlay)
    }
    #expect(
      state.end().count == model.pages.dropFirst().count + model.pages.filter { $0.overlay != nil }.count)
    let (isPushed, isPresented) = (state.push(-3), state.present("late", over: nil))
    #expect(!isPushed && !isPresented)
    #expect(state.setPages([1]) == nil)
    #expect(state.entries.isEmpty)
  }
}
