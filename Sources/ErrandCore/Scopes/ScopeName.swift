/// The name of a scope, and the names of the scopes around it.
final class ScopeName: Sendable {
  /// Deeper scopes show no outer scopes, because releasing an endless chain would overflow the stack.
  private static let deepest = 64

  let name: String
  private let outer: ScopeName?
  private let depth: Int

  init(_ name: String, in outer: ScopeName?) {
    self.name = name
    self.outer = outer.flatMap { $0.depth < Self.deepest ? $0 : nil }
    depth = (self.outer?.depth ?? 0) + 1
  }

  /// The names, outermost first.
  var path: [String] {
    var path = [name]
    var next = outer
    while let scope = next {
      path.append(scope.name)
      next = scope.outer
    }
    return path.reversed()
  }
}
