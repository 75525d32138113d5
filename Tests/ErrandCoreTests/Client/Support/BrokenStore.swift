import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A store that cannot do anything.
struct BrokenStore: AnswerStore {
  struct Broken: Error {}

  func salt() async throws -> Data { throw Broken() }
  func read(_ key: AnswerKey) async throws -> KeptAnswer? { throw Broken() }
  func write(_ answer: KeptAnswer, under key: AnswerKey) async throws { throw Broken() }
  func remove(_ key: AnswerKey) async throws { throw Broken() }
  func list() async throws -> [KeptEntry] { throw Broken() }
  func clear() async throws { throw Broken() }
}
