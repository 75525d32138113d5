import ErrandCore

/// A page as its user knows it.
final class PageModel {
  let id: Int
  let scope: RequestScope
  var overlay: StackModel?

  init(_ id: Int, _ scope: RequestScope) {
    self.id = id
    self.scope = scope
  }

  /// The scopes that end with it.
  var all: [Int] { [id] + (overlay?.all ?? []) }
}
