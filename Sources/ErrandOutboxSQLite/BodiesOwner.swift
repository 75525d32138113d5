import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Refuses a folder of bodies that is not the one of the outbox. Two outboxes with one folder would remove each other's
/// files. In another folder, or in the mount point of a disk that is not mounted, the stored bodies would be missing.
///
/// The first open with a separate folder writes a mark into it, which begins with the number of the outbox. The database
/// remembers the mark of the folder that has the bodies.
struct BodiesOwner {
  private static let name = "bodies-of"

  private let store: SQLiteOutboxStore
  private let outbox: BlobFolder
  /// Nil for the folder of the outbox.
  private let bodies: BlobFolder?

  init(_ store: SQLiteOutboxStore, outbox: URL, bodies: URL?) {
    self.store = store
    self.outbox = BlobFolder(in: outbox)
    let isSeparate = bodies?.standardizedFileURL.path != outbox.standardizedFileURL.path
    self.bodies = isSeparate ? bodies.map { BlobFolder(in: $0) } : nil
  }

  /// Checks the folder, and marks a new one.
  /// - Returns: The mark of a separate folder.
  /// - Throws: `OutboxError` (`failed`), if the folder is another outbox's, or does not have the stored bodies.
  func check() async throws -> FolderMark? {
    let (known, hasBodies) = try await store.bodies()
    let number = try await value(of: outbox)
    // Files of earlier versions do not remember the mark, which then is the number alone.
    let expected = known ?? number ?? ""
    guard let bodies else {
      guard !hasBodies || expected.isEmpty else { throw forgotten }
      try await store.use(bodies: "", insteadOf: known, isKnown: expected.isEmpty)
      return nil
    }
    guard !FileManager.default.fileExists(atPath: StoreFolder(path: bodies.location).database) else {
      throw belongsToAnother(bodies)
    }
    let found = try await value(of: bodies)
    if hasBodies {
      guard found == expected else { throw problem(with: bodies, found, expected: expected) }
    }
    let mark = try await mark(of: bodies, found)
    try await store.use(bodies: mark, insteadOf: known, isKnown: known == mark)
    return FolderMark(name: Self.name, data: Data(mark.utf8))
  }

  /// Returns the mark of a folder, which is new if the folder has none. If two processes write one at once, both get that
  /// of the first.
  private func mark(of bodies: BlobFolder, _ found: String?) async throws -> String {
    let number = try await value(of: outbox, orNew: UUID().uuidString)
    let mark =
      if let found { found } else { try await value(of: bodies, orNew: "\(number)/\(UUID().uuidString)") }
    guard Self.number(in: mark) == number else { throw belongsToAnother(bodies) }
    return mark
  }

  private static func number(in mark: String) -> Substring { mark.prefix { $0 != "/" } }

  private func value(of folder: BlobFolder) async throws -> String? {
    do {
      return try await folder.value(Self.name).map { String(decoding: $0, as: UTF8.self) }
    } catch let error as FileError {
      throw OutboxError(.failed, "the folder of the outbox's bodies cannot be checked: \(error)")
    }
  }

  private func value(of folder: BlobFolder, orNew new: String) async throws -> String {
    if let value = try await value(of: folder) { return value }
    try await folder.setValue(Data(new.utf8), Self.name)
    return try await value(of: folder) ?? new
  }

  // MARK: Errors

  private func problem(with bodies: BlobFolder, _ found: String?, expected: String) -> OutboxError {
    if expected.isEmpty {
      return OutboxError(
        .failed,
        "the outbox in \(outbox.location) has stored bodies in that folder: open it without a folder of bodies until they "
          + "are delivered")
    }
    guard let found else {
      return OutboxError(
        .failed,
        "\(bodies.location) does not have the stored bodies of the outbox in \(outbox.location): mount its disk, or pass "
          + "the folder that has them")
    }
    guard Self.number(in: found) == Self.number(in: expected) else { return belongsToAnother(bodies) }
    return OutboxError(
      .failed,
      "\(bodies.location) is an earlier folder of bodies of the outbox in \(outbox.location), and the stored bodies are in "
        + "another one: pass that folder")
  }

  private var forgotten: OutboxError {
    OutboxError(
      .failed,
      "the outbox in \(outbox.location) has stored bodies in a separate folder: pass that folder, too (bodies, or "
        + "--bodies on the command line)")
  }

  private func belongsToAnother(_ bodies: BlobFolder) -> OutboxError {
    OutboxError(
      .failed,
      "\(bodies.location) has the bodies of another outbox: pass a separate folder for the bodies of the outbox in "
        + outbox.location)
  }
}
