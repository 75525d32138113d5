import ErrandCore

/// A random number generator that concurrent callers share. Its lock is held only while one number is made.
final class SharedRandom: RandomNumberGenerator, Sendable {
  private let generator: Locked<any RandomNumberGenerator & Sendable>

  init(_ generator: any RandomNumberGenerator & Sendable) { self.generator = Locked(generator) }

  func next() -> UInt64 { generator.withLock { $0.next() } }
}
