import ErrandCore

/// One generator for all who ask at the same time. None holds the others up for longer than a number takes.
final class SharedRandom: RandomNumberGenerator, Sendable {
  private let generator: Locked<any RandomNumberGenerator & Sendable>

  init(_ generator: any RandomNumberGenerator & Sendable) { self.generator = Locked(generator) }

  func next() -> UInt64 { generator.withLock { $0.next() } }
}
