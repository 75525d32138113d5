#if Postgres
  import ErrandCrypto
  import ErrandCore
  import ErrandOutbox

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Stores blobs in tables beside the requests, for all machines that share the database.
  ///
  /// The process that stores a blob holds it for some minutes at a time, by the fleet's clock.
  final class PostgresBlobs: BlobStore {
    /// The most bytes of one value in a table.
    static let pieceLength = 1 << 20
    private static let hold = "errand.instant(errand.pulse($1)) + interval '10 minutes'"

    let core: StoreCore
    private let holds: BlobHolds
    private let missing = MissingValues()

    init(_ core: StoreCore) {
      self.core = core
      holds = BlobHolds(core)
    }

    var location: String { "\(core.link.url), schema \(core.schema.name)" }

    /// Extends the holds of this process.
    func renewHolds() async {
      let keys = holds.keys
      guard !keys.isEmpty else { return }
      _ = try? await core.run(
        "UPDATE errand.blobs SET held_until = \(Self.hold) WHERE key = ANY($2)", [core.time, .texts(keys)],
        isRepeatable: true)
    }

    // MARK: Storing

    func put(_ sources: [BlobSource]) async throws -> [StoredBlob] {
      if sources.isEmpty { return [] }
      try core.checkOpen()
      let keys = sources.map { _ in Self.newKey() }
      let hold = holds.hold(keys)
      var blobs: [StoredBlob] = []
      do {
        for (source, key) in zip(sources, keys) { blobs.append(try await put(source, key, hold)) }
        return blobs
      } catch {
        _ = try? await core.run(
          "DELETE FROM errand.blobs WHERE key = ANY($1)", [.texts(keys)], isRepeatable: true)
        throw error
      }
    }

    private func put(_ source: BlobSource, _ key: String, _ hold: BlobHold) async throws -> StoredBlob {
      let reading = try await SourceReading.open(source)
      var digest = SHA256Hash()
      var count: Int64 = 0
      var first = try await reading.next(Self.pieceLength)
      digest.update(first)
      count += Int64(first.count)
      let isOnePiece = reading.size <= Int64(Self.pieceLength)
      if !isOnePiece {
        _ = try await core.run(
          """
          INSERT INTO errand.blobs(key, size, held_until) VALUES ($2, $3, \(Self.hold)) ON CONFLICT DO NOTHING
          """, [core.time, .text(key), .integer(reading.size)], isRepeatable: true)
      }
      var number: Int64 = 0
      while !isOnePiece, !first.isEmpty {
        try Task.checkCancellation()
        _ = try await core.run(
          "INSERT INTO errand.pieces VALUES ($1, $2::integer, $3) ON CONFLICT DO NOTHING",
          [.text(key), .integer(number), .bytes(first)], isRepeatable: true)
        number += 1
        first = try await reading.next(Self.pieceLength)
        digest.update(first)
        count += Int64(first.count)
      }
      if isOnePiece { _ = try await reading.next(1) }
      let name = "\(digest.finalize()).\(key)"
      _ = try await core.run(
        """
        INSERT INTO errand.blobs(key, name, size, held_until, data)
        SELECT $2, $3, $4::bigint, \(Self.hold), $5::bytea FROM errand.be_durable()
        ON CONFLICT (key) DO UPDATE SET name = excluded.name
        """,
        [core.time, .text(key), .text(name), .integer(count), isOnePiece ? .bytes(first) : .null(.bytes)],
        isRepeatable: true)
      return StoredBlob(name: name, size: count, hold: hold)
    }

    private static func newKey() -> String {
      let digits = String(UInt64.random(in: 0...(.max)), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }

    // MARK: Reading

    func open(_ name: String, size: Int64) throws -> any BodyReader {
      let blob = try find(name, size: size)
      return BlobReader(core, name, blob.key, size: size, digest: blob.digest, first: blob.data)
    }

    func check(_ name: String, size: Int64) throws { _ = try find(name, size: size) }

    private struct Found {
      var key: String
      var digest: String
      var data: Data?
    }

    /// Waits for the result of a query. The link's thread delivers the result, so this works on any thread.
    private func find(_ name: String, size: Int64) throws -> Found {
      let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2 else { throw Self.unreadable(name, "this is not the name of a blob", false) }
      let query = core.query(
        "SELECT size, data FROM errand.blobs WHERE key = $1 AND name = $2", [.text(parts[1]), .text(name)],
        isRepeatable: true)
      switch core.link.wait(for: query) {
      case .failure(let failure): throw Self.away(name, "\(failure.error(core.link))", false)
      case .success(let answer):
        guard let row = answer.first else { throw Self.unreadable(name, "it is missing", false) }
        guard row.integer(0) == size else {
          throw Self.unreadable(name, "it has \(row.integer(0)) bytes, and \(size) were stored", false)
        }
        return Found(key: parts[1], digest: parts[0], data: row.data(1))
      }
    }

    /// Returns the error for a blob that cannot be read now.
    static func away(_ name: String, _ reason: String, _ reachedServer: Bool) -> RequestError {
      .unreadableStoredFile(name, StoreAway(.store, reason), reachedServer: reachedServer)
    }

    static func unreadable(_ name: String, _ reason: String, _ reachedServer: Bool) -> RequestError {
      RequestError(
        .fileUnreadable, message: "the stored body \(name) cannot be sent: \(reason)",
        reachedServer: reachedServer)
    }

    // MARK: Removing

    func remove(_ names: [String]) async {
      guard !names.isEmpty else { return }
      _ = try? await core.run(
        "DELETE FROM errand.blobs WHERE key = ANY($1) AND name = ANY($2)",
        [.texts(names.map { String($0.drop { $0 != "." }.dropFirst()) }), .texts(names)],
        isRepeatable: true)
    }

    /// Removes blobs that no request names. The server's clock may have been set forward right before this
    /// store was opened. Therefore a hold counts as ended only when another clock has confirmed that.
    @discardableResult
    func sweep(used: ([String]) async throws -> Set<String>) async throws -> [String] {
      var (swept, last) = ([String](), "")
      while true {
        try Task.checkCancellation()
        let answer = try await core.run(
          """
          SELECT key, name FROM errand.blobs WHERE key > $1
            AND held_until < (SELECT errand.instant(least(errand.pulse($2), confirmed)) FROM errand.clock)
            ORDER BY key LIMIT 1000
          """, [.text(last), core.time], isRepeatable: true)
        let page = answer.rows { (key: $0.text(0) ?? "", name: $0.text(1)) }
        guard let end = page.last?.key else { return swept }
        last = end
        let used = try await used(page.compactMap(\.name))
        let unused = page.filter { $0.name.map { !used.contains($0) } ?? true }
        _ = try await core.run(
          "DELETE FROM errand.blobs WHERE key = ANY($1)", [.texts(unused.map(\.key))], isRepeatable: true)
        swept += unused.map { $0.name ?? $0.key }
      }
    }

    // MARK: Values

    func value(_ name: String) async throws -> Data? {
      if missing.isKnown(name) { return nil }
      let answer = try await core.run(
        "SELECT data FROM errand.named_values WHERE name = $1", [.text(name)], isRepeatable: true)
      guard let row = answer.first else {
        missing.note(name)
        return nil
      }
      return row.data(0)
    }

    func setValue(_ data: Data, _ name: String) async throws {
      missing.forget(name)
      _ = try await core.run(
        "INSERT INTO errand.named_values SELECT $1, $2::bytea FROM errand.be_durable() ON CONFLICT DO NOTHING",
        [.text(name), .bytes(data)], isRepeatable: true)
      missing.forget(name)
    }
  }
#endif
