import ErrandCore
import ErrandTesting

/// A model of a navigation stack beside the real one: a tree of pages and of the stacks that they present.
final class StackModel {
  let id: Int
  let real: ScopeStack
  private(set) var pages: [PageModel] = []
  /// The stack that is presented while it has no page.
  private var base: StackModel?
  private let nextID: () -> Int

  init(_ real: ScopeStack, nextID: @escaping () -> Int) {
    self.real = real
    self.nextID = nextID
    id = nextID()
  }

  /// The IDs of the scopes that end with the stack.
  var all: [Int] { [id] + (base?.all ?? []) + pages.flatMap(\.all) }

  /// All pages of the stack and of the stacks that are presented.
  var everyPage: [PageModel] {
    pages + (base?.everyPage ?? []) + pages.flatMap { $0.overlay?.everyPage ?? [] }
  }

  /// The stack that covers all others.
  var front: StackModel { overlayOverTop?.front ?? self }

  private var overlayOverTop: StackModel? { pages.isEmpty ? base : pages.last?.overlay }

  func push() {
    let id = nextID()
    pages.append(PageModel(id, real.push("page \(id)")))
  }

  func present() {
    if let overlayOverTop { return overlayOverTop.present() }
    let id = nextID()
    let overlay = StackModel(real.present("stack \(id)"), nextID: nextID)
    if let top = pages.last { top.overlay = overlay } else { base = overlay }
  }

  /// Removes `count` pages above the root; before that, calls `willEnd` with the scopes that end, and their
  /// reason.
  func pop(_ count: Int, _ willEnd: (_ scopes: [Int], _ name: String) -> Void) {
    let leaving = pages.suffix(min(count, max(0, pages.count - 1)))
    for page in leaving.reversed() { willEnd(page.all, page.scope.name) }
    pages.removeLast(leaving.count)
    if count == 1 {
      real.pop()
    } else if let top = pages.last {
      if top === pages.first { real.popToRoot() } else { real.pop(to: top.scope) }
    }
  }

  /// Removes the stack that was presented last, with all that it presents.
  func dismiss(_ willEnd: (_ scopes: [Int], _ name: String) -> Void) {
    let under = pages.last { $0.overlay != nil }
    guard let overlay = under?.overlay ?? base else { return }
    willEnd(overlay.all, overlay.real.scope.name)
    if let under { under.overlay = nil } else { base = nil }
    real.dismiss()
  }

  /// Calls `willEnd` before the stack is ended or released.
  func end(_ willEnd: (_ scopes: [Int], _ name: String) -> Void) { willEnd(all, real.scope.name) }
}
