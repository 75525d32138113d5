import ErrandCore

/// A model of a page, as its user knows it.
final class PageModel {
  let id: Int
  let scope: RequestScope
  var overlay: StackModel?

  init(_ id: Int, _ scope: RequestScope) {
    self.id = id
    self.scope = scope
  }

  /// The IDs of the scopes that end with the page.
  var all: [Int] { [id] + (overlay?.all ?? []) }
}
