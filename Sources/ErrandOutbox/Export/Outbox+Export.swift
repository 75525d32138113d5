#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Outbox {
  /// Exports requests with all their content as JSON Lines, in the order of enqueue. They stay stored. A
  /// request that is being attempted may be delivered meanwhile; if it is then imported elsewhere, it arrives
  /// twice, with the same idempotency key.
  ///
  /// A request is a line with its head, and then lines with its body in base64, with at most 192 KiB of the
  /// body each: large files are never held in memory.
  ///
  /// The export is plain text, even if the outbox has a key: keep it safe. It has no credentials, because
  /// none are stored.
  /// - Parameters:
  ///   - selection: Which requests; of these, those that are stored, being attempted or dead letters.
  ///     Default: all of them.
  ///   - write: Called with whole lines, one after the other. An error that it throws ends the export.
  /// - Returns: The number of exported requests.
  /// - Throws: `OutboxError.fileUnreadable` or `.damaged` if a request is not what was stored any more. The
  ///   requests before it are written; select the others then.
  @discardableResult
  public func export(
    _ selection: OutboxSelection = .all, to write: (Data) async throws -> Void
  ) async throws -> Int {
    try await Exporter(store: store, storage: storage).export(selection, to: write)
  }

  /// Stores exported requests, of this outbox or another one: each with its id, its idempotency key and its
  /// lane, in the order in which they were exported, after the requests that are here already. Dead letters
  /// become stored requests that are attempted at once, with all their attempts left. A request keeps the
  /// time at which it expires, and expires if that is over.
  ///
  /// A request whose id is known here is left as it is, so importing twice stores nothing twice. That also
  /// holds for requests that were delivered or dropped here, as long as they are remembered
  /// (`OutboxConfiguration.retention`).
  ///
  /// Large bodies go through files in the outbox's folder, which are plain text until the request is stored.
  /// An outbox whose blobs are not in a folder has these files in the system's temporary folder.
  /// - Parameter exported: The bytes of the lines, in pieces that may be cut anywhere. An error that it
  ///   throws ends the import.
  /// - Returns: The number of requests that were stored, and of those that were known.
  /// - Throws: `OutboxError`: `.badImport` if a line is not what was exported, or bytes of a request are
  ///   missing; `.notStorable` for credentials and all that `enqueue` refuses, both with the number of the
  ///   line; and what else `enqueue` throws. The requests before the faulty one are stored, and nothing of
  ///   that one.
  @discardableResult
  public func `import`<Exported: AsyncSequence>(_ exported: Exported) async throws -> OutboxImport
  where Exported.Element == Data {
    var importer = Importer(self)
    return try await importer.run(exported)
  }

  /// Stores the exported requests in a file.
  /// - Parameter file: A regular file.
  /// - Throws: As for any import; `OutboxError.fileUnreadable` if the file cannot be read.
  @discardableResult
  public func `import`(contentsOf file: URL) async throws -> OutboxImport {
    try await `import`(ImportedFile(path: file.path, storage: storage))
  }
}

/// The result of an import.
public struct OutboxImport: Sendable, Hashable {
  /// The number of requests that were stored.
  public internal(set) var stored = 0
  /// The number of requests that were left as they are, because their ids are known in this outbox: it still
  /// has them, or it remembers that they were delivered, expired or dropped.
  public internal(set) var known = 0

}
