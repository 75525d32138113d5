import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Refuses a folder of bodies that belongs to another outbox, because each of two would remove the other's files.
///
/// The first open of an outbox with a separate folder writes the same number into both folders.
struct BodiesOwner {
  private static let name = "bodies-of"

  private let outbox: BlobFolder
  private let bodies: BlobFolder

  init(outbox: URL, bodies: URL) {
    self.outbox = BlobFolder(in: outbox)
    self.bodies = BlobFolder(in: bodies)
  }

  /// - Throws: `OutboxError` (`failed`), if the folder of bodies belongs to another outbox.
  func check() async throws {
    let database = StoreFolder(path: bodies.location).database
    guard !FileManager.default.fileExists(atPath: database) else { throw belongsToAnother }
    let number = try await number(in: outbox, orNew: Data(UUID().uuidString.utf8))
    guard try await self.number(in: bodies, orNew: number) == number else { throw belongsToAnother }
  }

  /// Returns the number in a folder. If two processes write one at once, both get that of the first.
  private func number(in folder: BlobFolder, orNew new: Data) async throws -> Data {
    do {
      if let number = try await folder.value(Self.name) { return number }
      try await folder.setValue(new, Self.name)
      return try await folder.value(Self.name) ?? new
    } catch let error as FileError {
      throw OutboxError(.failed, "the folder of the outbox's bodies cannot be checked: \(error)")
    }
  }

  private var belongsToAnother: OutboxError {
    OutboxError(
      .failed,
      "\(bodies.location) has the bodies of another outbox: pass a separate folder for the bodies of the outbox in "
        + outbox.location)
  }
}
