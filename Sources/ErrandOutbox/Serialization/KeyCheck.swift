import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A small encrypted value, `key-check`, that shows at launch whether the key is the one that the outbox is
/// encrypted with. It is set when an outbox is first opened with a key.
struct KeyCheck {
  private static let name = "key-check"
  private static let text = Data("errand".utf8)

  private let seal: ContentSeal
  private let blobs: any BlobStore

  init(_ seal: ContentSeal, in blobs: any BlobStore) {
    self.seal = ContentSeal(seal.key)
    self.blobs = blobs
  }

  private var place: String { "\(blobs.location)/\(Self.name)" }

  /// True if the outbox is encrypted, with any key.
  var isThere: Bool {
    get async throws { try await known() != nil }
  }

  /// Checks the key. If there is a key and the value is missing, sets the value.
  /// - Throws: `.wrongKey` if the outbox is encrypted with another key, or if it is encrypted and there is no
  ///   key; `.damaged`; `.notWritable`, `.diskFull`.
  func pass() async throws {
    if let known = try await known() { return try compare(known) }
    guard seal.key != nil else { return }
    try await blobs.setValue(seal.wrap(Self.text, as: .keyCheck), Self.name)
    guard let known = try await known() else {
      throw OutboxError.unwritable(FileError(.read, place, "it was removed at once"))
    }
    // Another process, with another key, may have set the value first.
    try compare(known)
  }

  private func known() async throws -> Data? {
    do {
      return try await blobs.value(Self.name)
    } catch let error as FileError {
      throw OutboxError(.failed, "the key of the outbox cannot be checked: \(error)")
    }
  }

  private func compare(_ known: Data) throws(OutboxError) {
    do throws(OutboxError) {
      let text = try seal.unwrap(known, as: .keyCheck)
      guard text == Self.text else { throw ContentSeal.damaged(.keyCheck) }
    } catch {
      switch error.code {
      case .wrongKey:
        throw OutboxError(
          .wrongKey,
          seal.key == nil
            ? "the outbox is encrypted (\(place)), but was opened without a key; open it with the key it had"
            : "the outbox is encrypted with another key (\(place)); open it with the key it had")
      default:
        throw OutboxError(
          .damaged,
          "\(place) is damaged; if you are sure that the key is right, remove that file and open the outbox again"
        )
      }
    }
  }
}
