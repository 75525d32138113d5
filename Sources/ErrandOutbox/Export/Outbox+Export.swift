#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Outbox {
  /// Exports requests with all their content as JSON Lines, in the order of enqueue. The requests stay
  /// stored. A request that is being attempted may be delivered meanwhile. If it is then imported elsewhere,
  /// it arrives twice, with the same idempotency key.
  ///
  /// A request is a line with its head, and then lines with its body in base64. Each line has at most 192 KiB
  /// of the body, so that large files are never held in memory.
  ///
  /// The export is plain text, even if the outbox has a key: keep it safe. It has no credentials, because the
  /// outbox stores none.
  /// - Parameters:
  ///   - selection: The requests. Only those that are stored, being attempted or dead letters are exported.
  ///     Default: all of them.
  ///   - write: Called with complete lines, one after the other. If it throws, the export ends with that
  ///     error.
  /// - Returns: The number of exported requests.
  /// - Throws: `OutboxError.fileUnreadable` or `.damaged` if a stored request has changed since it was
  ///   stored. The requests before it are written. To export the others, select them.
  @discardableResult
  public func export(
    _ selection: OutboxSelection = .all, to write: (Data) async throws -> Void
  ) async throws -> Int {
    try await Exporter(store: store, storage: storage).export(selection, to: write)
  }

  /// Stores exported requests, of this outbox or another one. Each keeps its id, its idempotency key and its
  /// lane. They are stored in the order of the export, after the requests in this outbox. Dead letters become
  /// stored requests that are attempted at once, with their full number of attempts. A request keeps its
  /// expiry, and expires if that has passed.
  ///
  /// A request whose id this outbox knows is left as it is, so importing twice stores nothing twice. That
  /// also holds for requests that this outbox delivered or dropped, as long as it keeps their records
  /// (`OutboxConfiguration.retention`).
  ///
  /// Large bodies go through files in the outbox's folder, which are plain text until the request is stored.
  /// If the outbox's blobs are not in a folder, these files are in the system's temporary folder.
  /// - Parameter exported: The bytes of the lines, in pieces that may be cut anywhere. If it throws, the
  ///   import ends with that error.
  /// - Returns: The number of requests that were stored, and of those that were known.
  /// - Throws: `OutboxError`: `.badImport` if a line is not an exported one, or bytes of a request are
  ///   missing; `.notStorable` if `enqueue` would refuse the request. Both name the number of the line. Also
  ///   the other errors of `enqueue`. The requests before the faulty one are stored, and no part of the
  ///   faulty one is.
  @discardableResult
  public func `import`<Exported: AsyncSequence>(_ exported: Exported) async throws -> OutboxImport
  where Exported.Element == Data {
    var importer = Importer(self)
    return try await importer.run(exported)
  }

  /// Stores the exported requests of a file.
  /// - Parameter file: The path of a regular file.
  /// - Returns: The number of requests that were stored, and of those that were known.
  /// - Throws: The errors of any import; `OutboxError.fileUnreadable` if the file cannot be read.
  @discardableResult
  public func `import`(contentsOf file: URL) async throws -> OutboxImport {
    try await `import`(ImportedFile(path: file.path, storage: storage))
  }
}

/// The result of an import.
public struct OutboxImport: Sendable, Hashable {
  /// The number of requests that were stored.
  public internal(set) var stored = 0
  /// The number of requests that were left as they are, because this outbox knows their ids: it still has
  /// these requests, or the records of their delivery, expiry or drop.
  public internal(set) var known = 0

}
