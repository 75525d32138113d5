import ErrandCore

/// Counts the tokens that are still referenced.
final class LiveTokens: Sendable {
  final class Token: Sendable {
    private let tokens: LiveTokens
    fileprivate init(_ tokens: LiveTokens) { self.tokens = tokens }
    deinit { tokens.count.withLock { $0 -= 1 } }
  }

  private let count = Locked(0)

  var alive: Int { count.withLock { $0 } }

  func make() -> Token {
    count.withLock { $0 += 1 }
    return Token(self)
  }
}
