/// The validations that are under way, so that requests for the same one wait for it.
final class Validations: Sendable {
  private let running = Locked<[CacheKey: Promise<Void>]>([:])

  /// Begins a validation, unless one is under way.
  /// - Returns: The end of the one that is under way; nil if the caller has begun one, and must end it.
  func begin(_ key: CacheKey) -> Promise<Void>? {
    running.withLock { running in
      if let promise = running[key] { return promise }
      running[key] = Promise()
      return nil
    }
  }

  func end(_ key: CacheKey) {
    running.withLock { $0.removeValue(forKey: key) }?.settle(.success(()))
  }
}
