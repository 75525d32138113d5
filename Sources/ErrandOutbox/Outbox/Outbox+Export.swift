#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Outbox {
  /// Writes out requests with all that they consist of, as JSON Lines, in the order of enqueue. They stay stored; what is
  /// being tried may be delivered meanwhile, and then arrives twice, with the same key, if it is imported elsewhere.
  ///
  /// A request is a line with its head, and then its body in lines of at most 192 KiB of it, in base64: large files are never
  /// held in memory.
  ///
  /// What is exported is plain text, also if the outbox has a key: keep it safe. Credentials are not in it, because none
  /// are stored.
  /// - Parameters:
  ///   - selection: Which; of these, what is stored, being tried or set aside. Default: all of that.
  ///   - write: Is handed whole lines, one after the other. What it throws ends the export.
  /// - Returns: How many requests were written.
  /// - Throws: `OutboxError.fileUnreadable` or `.damaged` if a request is not what was stored any more; those before it
  ///   are written. Choose the others then.
  @discardableResult
  public func export(
    _ selection: OutboxSelection = .all, to write: (Data) async throws -> Void
  ) async throws -> Int {
    try await Exporter(desk: desk).export(selection, to: write)
  }

  /// Stores what was exported, here or elsewhere: each with its name, its idempotency key and its lane, in the order in which
  /// they were exported, after what is here already. What was set aside comes back as stored, to be tried at once, and with
  /// all of its tries. What may be delivered until some time still may until then; what that is over for expires.
  ///
  /// A name that is known here already is left as it is, so importing twice stores nothing twice; that also holds for
  /// what was delivered or dropped here, as long as it is remembered (`OutboxConfiguration.keepsAnswers`).
  ///
  /// Large bodies go through files in the outbox's folder, which are plain text until the request is stored.
  /// - Parameter exported: The bytes of the lines, in pieces that may be cut anywhere. What it throws ends the import.
  /// - Returns: How many requests were stored.
  /// - Throws: `OutboxError`: `.badImport` if a line is not what was exported, or bytes of a request are missing;
  ///   `.notStorable` for credentials and all that `enqueue` refuses, both with the number of the line; and what else
  ///   `enqueue` throws. Those requests before it are stored, and nothing of the one that it is about.
  @discardableResult
  public func `import`<Exported: AsyncSequence>(_ exported: Exported) async throws -> OutboxImport
  where Exported.Element == Data {
    var importer = Importer(desk) { self.courier.look() }
    return try await importer.run(exported)
  }

  /// Stores what was exported into a file.
  /// - Parameter file: A regular file.
  /// - Throws: As for any import; `OutboxError.fileUnreadable` if the file cannot be read.
  @discardableResult
  public func `import`(contentsOf file: URL) async throws -> OutboxImport {
    try await `import`(ImportedFile(path: file.path, folder: desk.storage.folder))
  }
}
