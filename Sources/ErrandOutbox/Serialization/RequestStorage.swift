import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Serializes requests into rows, and reads them back.
///
/// With a key, everything that reveals a request is encrypted: its content, its summary, its response and its
/// files. Its lane, sizes, times, state and the reason of its last failure are not encrypted, because the
/// store works with them. Therefore a reason must not name the URL, and must not quote the response.
struct RequestStorage: Sendable {
  let blobs: any BlobStore
  /// Stores bodies while they are imported.
  let spool: BlobFolder
  private let work: FileWork
  private let seal: ContentSeal
  private let keyCheck: KeyCheck
  /// The secrets that are not stored.
  let secrets: Secrets

  /// True if rows are encrypted.
  var isEncrypted: Bool { seal.key != nil }

  /// Creates the storage. Nothing is written to the disk yet.
  /// - Parameters:
  ///   - blobs: Stores large bodies.
  ///   - spool: Stores bodies while they are imported.
  ///   - key: The key to encrypt with; nil for no encryption.
  ///   - secrets: The client's secrets, which are not stored.
  ///   - work: The place where file work runs.
  ///   - acceptsPlaintext: True to read requests that were stored without a key.
  init(
    _ blobs: any BlobStore, spool: BlobFolder, key: OutboxKey?, secrets: Secrets,
    acceptsPlaintext: Bool = false, work: FileWork = .queued
  ) {
    self.blobs = blobs
    self.spool = spool
    self.secrets = secrets
    self.work = work
    seal = ContentSeal(key, acceptsPlaintext: acceptsPlaintext)
    keyCheck = KeyCheck(seal, in: blobs)
  }

  /// Runs work that waits for the disk.
  func perform<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await work.perform(body)
  }

  /// Checks the key. Call it before anything is read.
  /// - Parameter rows: Returns some of the rows that still have their content.
  /// - Throws: `OutboxError.wrongKey` if the stored requests were encrypted with another key, if they are
  ///   encrypted and no key is given, or if they are not encrypted and a key is given.
  func open(rows: () async throws -> [OutboxRow] = { [] }) async throws {
    if !seal.acceptsPlaintext, try await !keyCheck.isThere {
      let plain = try await rows().count { !ContentSeal.isSealed($0.summary) }
      guard plain == 0 else {
        throw OutboxError(
          .wrongKey,
          "requests in the outbox (\(plain) or more) were stored without a key; open it with acceptsPlaintext until "
            + "they are delivered")
      }
    }
    try await keyCheck.pass()
  }

  /// Returns the number of bytes that have to be copied into files before their rows are stored. Items that
  /// cannot be stored count as zero.
  func bytesToCopy(_ items: [OutboxItem]) async throws -> Int64 {
    let segments = items.flatMap { item -> [BodySegment] in
      let pieces = item.pieces ?? (item.request.body.isStorable ? BodyPieces(item.request.body) : nil)
      guard let pieces else { return [] }
      return SegmentPlacement.places(of: pieces.segments).compactMap {
        if case .file(let segment) = $0 { segment } else { nil }
      }
    }
    if segments.isEmpty { return 0 }
    return try await perform {
      segments.reduce(0) { sum, segment in
        switch segment {
        case .bytes(let data): sum + Int64(data.count)
        case .file(let path): sum + ((try? FileDescriptor(reading: path).length()) ?? 0)
        }
      }
    }
  }

  /// Makes rows of requests, and stores them with `commit`. Their files are durable before that call.
  /// Afterwards, files that belong to no row are removed: `commit` failed, or it found a row that the store
  /// knew already.
  /// - Parameter used: Returns the given files that belong to a row. It is called even if `commit` failed,
  ///   because a shared store may have stored the rows without being able to report it. If `used` fails, too,
  ///   the files are swept later.
  /// - Throws: `OutboxError`: `.notStorable`, `.fileUnreadable`, `.diskFull`, `.notWritable`; then nothing is
  ///   stored. Also the errors of `commit`.
  func store<Result>(
    _ items: [OutboxItem], used: ([String]) async throws -> Set<String>,
    commit: ([NewRow]) async throws -> Result
  ) async throws -> Result {
    for item in items { try item.request.checkStorable(hiding: secrets, or: item.resumptionProblem) }
    // Another process may have been given a key after this one opened the outbox without one.
    if seal.key == nil, try await keyCheck.isThere {
      throw OutboxError(
        .wrongKey, "the outbox was opened without a key, but has been encrypted since; open it with its key")
    }
    let (rows, held) = try await rows(for: items)
    // Held until the rows are stored, or the files are removed.
    defer { withExtendedLifetime(held) {} }
    do {
      if !held.isEmpty { Failpoint.hit(.afterFileCopy) }
      let result = try await commit(rows)
      // The new files of a row that the store knew already belong to no row.
      await remove(held, unless: used)
      return result
    } catch {
      await remove(held, unless: used)
      throw error
    }
  }

  private func remove(_ held: [StoredBlob], unless used: ([String]) async throws -> Set<String>) async {
    let names = held.map(\.name)
    guard !names.isEmpty, let used = try? await used(names) else { return }
    await blobs.remove(names.filter { !used.contains($0) })
  }

  /// Returns the request, as it would have been sent when it was stored. A file that is missing or damaged
  /// fails the attempt with `RequestError.fileUnreadable`.
  /// - Parameter content: The row's content.
  /// - Throws: `OutboxError`: `.damaged`, `.wrongKey`, `.tooNew`.
  func request(from content: Data, of id: OutboxID) throws(OutboxError) -> Request {
    let (stored, opener) = try stored(from: content, of: id)
    return stored.request(opening: opener)
  }

  func request(of claimed: ClaimedRow) throws(OutboxError) -> Request {
    try request(from: claimed.content, of: claimed.row.id)
  }

  /// Returns the request in its stored form, and the opener of its body.
  func stored(
    from content: Data, of id: OutboxID
  ) throws(OutboxError) -> (request: StoredRequest, opener: StoredBodyOpener) {
    let stored = try StoredRequest(decoding: seal.unwrap(content, as: .content(of: id)))
    let opener = StoredBodyOpener(
      segments: stored.body.segments, blobs: blobs, seal: seal, id: id,
      isSealed: ContentSeal.isSealed(content))
    return (stored, opener)
  }

  /// - Throws: `OutboxError`: `.damaged`, `.wrongKey`.
  func summary(of row: OutboxRow) throws(OutboxError) -> RequestSummary {
    try RequestSummary(decoding: seal.unwrap(row.summary, as: .summary(of: row.id)))
  }

  /// Returns the name of an origin, or of a key within it, in the store.
  func originName(of address: OriginAddress) -> String { address.name(sealedWith: seal.key) }

  /// Returns the name of an origin as it may be shown, in its stored form.
  func originLabel(of address: OriginAddress) -> Data {
    seal.wrap(Data(address.text.utf8), as: .origin(originName(of: address)))
  }

  /// Returns the origin of a claimed request; nil if it cannot be read.
  func originAddress(from content: Data, of id: OutboxID) -> OriginAddress? {
    guard let stored = try? stored(from: content, of: id).request, let url = URL(string: stored.url) else {
      return nil
    }
    return OriginAddress(url, key: stored.options.key)
  }

  /// - Throws: `OutboxError`: `.damaged`, `.wrongKey`.
  func shownOrigin(of hold: OriginHold) throws(OutboxError) -> OriginAddress {
    OriginAddress(
      text: String(decoding: try seal.unwrap(hold.label, as: .origin(hold.origin)), as: UTF8.self))
  }

  /// Returns the names of these origins, and of the keys within them that are held.
  func names(of origins: [OriginAddress], heldIn store: any OutboxStore) async throws -> [String] {
    let wanted = Set(origins.map(\.origin))
    let held = try await store.statistics().heldOrigins.filter { hold in
      (try? shownOrigin(of: hold)).map { $0.key != nil && wanted.contains($0.origin) } ?? false
    }
    return origins.map(originName) + held.map(\.origin)
  }

  /// Returns a response in the form in which it is stored.
  func wrapped(response: Data, of id: OutboxID) -> Data { seal.wrap(response, as: .response(of: id)) }

  /// - Throws: `OutboxError`: `.damaged`, `.wrongKey`.
  func response(_ wrapped: Data, of id: OutboxID) throws(OutboxError) -> Data {
    try seal.unwrap(wrapped, as: .response(of: id))
  }

  /// Returns the state of an upload in the form in which it is stored.
  func wrapped(upload: Data, of id: OutboxID) -> Data { seal.wrap(upload, as: .upload(of: id)) }

  /// - Throws: `OutboxError`: `.damaged`, `.wrongKey`.
  func unwrapped(upload: Data, of id: OutboxID) throws(OutboxError) -> Data {
    try seal.unwrap(upload, as: .upload(of: id))
  }

  /// Returns the server's explanation in a response, as it may be shown.
  func words(of response: OutboxResponse) -> String? { response.words(hiding: secrets) }

  private func rows(for items: [OutboxItem]) async throws -> ([NewRow], [StoredBlob]) {
    let bodies = items.map { $0.pieces ?? BodyPieces($0.request.body) }
    let places = bodies.map { SegmentPlacement.places(of: $0.segments) }
    var sources: [BlobSource] = []
    for (item, places) in zip(items, places) {
      let copied = places.compactMap { if case .file(let segment) = $0 { segment } else { nil } }
      for (index, segment) in copied.enumerated() {
        sources.append(BlobSource(segment, index, of: Self.id(of: item), seal: seal))
      }
    }
    let blobs = sources.isEmpty ? [] : try await blobs.put(sources)
    guard blobs.count == sources.count else {
      throw OutboxError(
        .failed,
        "\(self.blobs.location) was given \(sources.count) bodies, but returned \(blobs.count) blobs")
    }
    var left = blobs[...]
    var rows: [NewRow] = []
    for (index, item) in items.enumerated() {
      var files: [StoredBlob] = []
      let segments = places[index].map { place -> StoredBody.Segment in
        switch place {
        case .row(let data): return .bytes(data)
        case .file:
          let blob = left.removeFirst()
          files.append(blob)
          return .file(name: blob.name, length: length(of: blob))
        }
      }
      let (kind, contentType) = (bodies[index].kind, bodies[index].contentType)
      rows.append(row(for: item, StoredBody(kind: kind, contentType: contentType, segments: segments), files))
    }
    return (rows, blobs)
  }

  /// Returns the number of bytes of the body in a blob.
  private func length(of blob: StoredBlob) -> Int64 {
    seal.key == nil ? blob.size : SealedFileFormat.plainLength(of: blob.size)
  }

  private static func id(of item: OutboxItem) -> OutboxID {
    guard let id = item.id else { preconditionFailure("named before") }
    return id
  }

  private func row(for item: OutboxItem, _ body: StoredBody, _ files: [StoredBlob]) -> NewRow {
    let (request, id) = (item.request, Self.id(of: item))
    guard let url = request.url else { preconditionFailure("checked before") }
    var options = StoredOptions(request.options, key: item.key)
    options.resumption = StoredResumption(of: item)
    let stored = StoredRequest(
      method: request.method, url: url.absoluteString, fields: request.fields, body: body, options: options)
    let summary = RequestSummary(stored, shownURL: request.urlText(hiding: secrets))
    let content = seal.wrap(stored.encoded(), as: .content(of: id))
    var row = NewRow(
      id: id, lane: item.lane, holdsLane: item.holdsLane,
      priority: Int(request.options.priority.rawValue),
      expiry: item.expiry.map { .at($0) } ?? item.expires.map { .after($0) },
      summary: seal.wrap(summary.encoded(), as: .summary(of: id)), content: content,
      files: files.map(\.name), size: Int64(content.count) + files.reduce(0) { $0 + $1.size },
      origin: originName(of: OriginAddress(url, key: item.key)))
    row.notBefore = item.notBefore?.milliseconds
    row.ifKnown = item.ifKnown
    return row
  }
}
