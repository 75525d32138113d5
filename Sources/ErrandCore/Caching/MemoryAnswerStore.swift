#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Keeps answers in memory, for as long as it lives itself.
public final class MemoryAnswerStore: AnswerStore {
  private let state: Locked<AnswerCacheState>
  private let ownSalt = Data((0..<32).map { _ in UInt8.random(in: 0...(.max)) })

  /// - Parameter limit: The most bytes of bodies, fields, URLs and keys together. Default: 20 MiB.
  public init(limit: Int = 20 << 20) {
    state = Locked(AnswerCacheState(limit: limit))
  }

  public func salt() async -> Data { ownSalt }

  public func read(_ key: AnswerKey) async -> KeptAnswer? {
    state.withLock { $0.read(key) }
  }

  public func write(_ answer: KeptAnswer, under key: AnswerKey) async {
    // What has to go is returned, so that no large body is freed under the lock.
    _ = state.withLock { $0.write(answer, under: key) }
  }

  public func remove(_ key: AnswerKey) async {
    _ = state.withLock { $0.remove(key) }
  }

  public func list() async -> [KeptEntry] {
    state.withLock { $0.entries }
  }

  public func clear() async {
    _ = state.withLock { state in
      defer { state = AnswerCacheState(limit: state.limit) }
      return state
    }
  }
}
