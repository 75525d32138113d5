#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Keeps answers. `AnswerStoreConformance` in ErrandTesting is the suite that every store must pass.
///
/// An answer is read whole, as it was written, or not at all; what is lost or damaged is nil and no error. A store never
/// blocks the thread that calls it for longer than memory takes. A request waits 5 s for it at most, and then goes on as if
/// the store had failed: nothing is kept there, or nothing was.
public protocol AnswerStore: Sendable {
  /// Random bytes of the store's own, the same for as long as it keeps answers: what partitions are salted with.
  func salt() async throws -> Data

  /// What is kept under this key, or nil. Counts as a use of it.
  func read(_ key: AnswerKey) async throws -> KeptAnswer?

  /// Keeps an answer, in the place of an older one, and lets go of those least recently used if it takes room. One that the
  /// store has no room for at all is not kept, and the older one is dropped all the same, because it is out of date.
  func write(_ answer: KeptAnswer, under key: AnswerKey) async throws

  /// Lets go of one; of none if there is none.
  func remove(_ key: AnswerKey) async throws

  /// All that is kept, in no particular order. Counts as a use of nothing.
  func list() async throws -> [KeptEntry]

  /// Lets go of all.
  func clear() async throws
}

extension AnswerStore {
  /// The key for a request. Asks for the salt only if something sets the request apart.
  ///
  /// - Parameters:
  ///   - name: The name that the answer is kept under.
  ///   - method: The request's method. Default: GET.
  ///   - fields: The request's fields.
  ///   - url: The request's URL.
  ///   - user: Who asks, for credentials that are in neither.
  ///   - secrets: What is secret besides the usual. Default: nothing.
  public func key(
    _ name: String, method: Method = .get, fields: HTTPFields, url: URL? = nil, user: String? = nil,
    secrets: Secrets = Secrets()
  ) async throws -> AnswerKey {
    let credentials = AnswerPartition.all(
      of: fields, method: method, url: url, user: user, secrets: secrets)
    if credentials.isEmpty { return AnswerKey(name) }
    return AnswerKey(name, partition: AnswerPartition(credentials, salt: try await salt()))
  }
}
