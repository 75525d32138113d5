import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Serializes requests into rows, and reads them back.
///
/// With a key, all that says something about a request is encrypted: its content, its summary, its response
/// and its files. Its lane, sizes, times, state and the reason of its last failure are not, because the store
/// works with them: a reason must not name the URL.
struct RequestStorage: Sendable {
  let folder: ContentFolder
  private let seal: ContentSeal
  private let keyCheck: KeyCheck
  /// The secrets that are not stored.
  let secrets: Secrets

  /// Creates nothing on disk yet.
  /// - Parameters:
  ///   - outbox: The outbox's folder.
  ///   - key: The key to encrypt with; nil for no encryption.
  ///   - secrets: The client's secrets, which are not stored.
  ///   - work: Where files are read and written.
  ///   - acceptsPlaintext: True to read what was stored before there was a key.
  init(
    in outbox: URL, key: OutboxKey?, secrets: Secrets, acceptsPlaintext: Bool = false,
    work: FileWork = .queued
  ) {
    self.secrets = secrets
    folder = ContentFolder(in: outbox, work: work)
    seal = ContentSeal(key, acceptsPlaintext: acceptsPlaintext)
    keyCheck = KeyCheck(in: outbox, seal: seal, folder: folder)
  }

  /// Checks the key. To be called before anything is read.
  /// - Parameter rows: Returns some of the rows that still have their content.
  /// - Throws: `OutboxError.wrongKey` if what is stored was encrypted with another key, or if there is no key
  ///   now; or if it was not encrypted, and there is a key.
  func open(rows: () async throws -> [OutboxRow] = { [] }) async throws {
    if !seal.acceptsPlaintext, try await !folder.perform({ [keyCheck] in keyCheck.isThere }) {
      let plain = try await rows().count { !ContentSeal.isSealed($0.summary) }
      guard plain == 0 else {
        throw OutboxError(
          .wrongKey,
          "requests in the outbox (\(plain) or more) were stored without a key; open it with acceptsPlaintext until "
            + "they are delivered")
      }
    }
    try await folder.perform { [keyCheck] in try keyCheck.pass() }
  }

  /// Returns the number of bytes that have to be copied into files before there are rows for them. Items
  /// that cannot be stored count as zero.
  func bytesToCopy(_ items: [OutboxItem]) async throws -> Int64 {
    let segments = items.flatMap { item -> [BodySegment] in
      let pieces = item.pieces ?? (item.request.body.isStorable ? BodyPieces(item.request.body) : nil)
      guard let pieces else { return [] }
      return SegmentPlacement.places(of: pieces.segments).compactMap {
        if case .file(let segment) = $0 { segment } else { nil }
      }
    }
    if segments.isEmpty { return 0 }
    return try await folder.perform {
      segments.reduce(0) { sum, segment in
        switch segment {
        case .bytes(let data): sum + Int64(data.count)
        case .file(let path): sum + ((try? FileDescriptor(reading: path).length()) ?? 0)
        }
      }
    }
  }

  /// Makes rows of requests, and stores them with `commit`. Their files are durable before it is called.
  /// Files that belong to no row afterwards are removed: `commit` failed, or it found a row that was there
  /// already.
  /// - Parameter used: Returns which of these files belong to a row. It is called also if `commit` failed: a
  ///   shared store may have stored the rows without being able to report it. If `used` fails, too, the files
  ///   are left to be swept.
  /// - Throws: `OutboxError`: `.notStorable`, `.fileUnreadable`, `.diskFull`, `.notWritable`; nothing is
  ///   stored then. And what `commit` throws.
  func store<Result>(
    _ items: [OutboxItem], used: ([String]) async throws -> Set<String>,
    commit: ([NewRow]) async throws -> Result
  ) async throws -> Result {
    for item in items { try item.request.checkStorable(hiding: secrets) }
    // Another process may have been given a key since this one opened the outbox without.
    if seal.key == nil, keyCheck.isThere {
      throw OutboxError(
        .wrongKey, "the outbox is sealed by now, and was opened without a key; open it with the key it has")
    }
    let (rows, held) = try await rows(for: items)
    // Held until the rows are stored, or the files are gone.
    defer { withExtendedLifetime(held) {} }
    do {
      if !held.isEmpty { Failpoint.hit(.afterFileCopy) }
      let result = try await commit(rows)
      // The new files of a row that was there already belong to no row.
      await remove(held, unless: used)
      return result
    } catch {
      await remove(held, unless: used)
      throw error
    }
  }

  private func remove(_ held: [HeldFile], unless used: ([String]) async throws -> Set<String>) async {
    let names = held.map(\.name)
    guard !names.isEmpty, let used = try? await used(names) else { return }
    await folder.remove(names.filter { !used.contains($0) })
  }

  /// Returns the request, to be sent as it would have been when it was stored. A file that is missing or
  /// damaged fails the attempt with `RequestError.fileUnreadable`.
  /// - Parameter content: The row's content.
  /// - Throws: `OutboxError`: `.damaged`, `.wrongKey`, `.tooNew`.
  func request(from content: Data, of id: OutboxID) throws(OutboxError) -> Request {
    let (stored, opener) = try stored(from: content, of: id)
    return stored.request(opening: opener)
  }

  func request(of claimed: ClaimedRow) throws(OutboxError) -> Request {
    try request(from: claimed.content, of: claimed.row.id)
  }

  /// Returns the request in its stored form, and what opens its body.
  func stored(
    from content: Data, of id: OutboxID
  ) throws(OutboxError) -> (request: StoredRequest, opener: StoredBodyOpener) {
    let stored = try StoredRequest(decoding: seal.unwrap(content, as: .content(of: id)))
    let opener = StoredBodyOpener(
      segments: stored.body.segments, folder: folder, seal: seal, id: id,
      isSealed: ContentSeal.isSealed(content))
    return (stored, opener)
  }

  /// - Throws: `OutboxError`: `.damaged`, `.wrongKey`.
  func summary(of row: OutboxRow) throws(OutboxError) -> RequestSummary {
    try RequestSummary(decoding: seal.unwrap(row.summary, as: .summary(of: row.id)))
  }

  /// Returns what names the origin of a URL in the store: its text, or with a key the digest of that.
  func originName(of url: URL) -> String {
    let text = originText(of: url)
    return seal.key?.digest(of: text) ?? text
  }

  private func originText(of url: URL) -> String { Origin(url)?.text ?? "" }

  /// Returns what may be shown of the origin of a URL, in the form in which it is stored.
  func originLabel(of url: URL) -> Data {
    seal.wrap(Data(originText(of: url).utf8), as: .origin(originName(of: url)))
  }

  func originLabel(of claimed: ClaimedRow) -> Data {
    (try? request(of: claimed).url).map(originLabel) ?? Data()
  }

  /// - Throws: `OutboxError`: `.damaged`, `.wrongKey`.
  func shownOrigin(of hold: OriginHold) throws(OutboxError) -> String {
    String(decoding: try seal.unwrap(hold.label, as: .origin(hold.origin)), as: UTF8.self)
  }

  /// Returns a response in the form in which it is stored.
  func wrapped(response: Data, of id: OutboxID) -> Data { seal.wrap(response, as: .response(of: id)) }

  /// - Throws: `OutboxError`: `.damaged`, `.wrongKey`.
  func response(_ wrapped: Data, of id: OutboxID) throws(OutboxError) -> Data {
    try seal.unwrap(wrapped, as: .response(of: id))
  }

  /// Returns the server's own explanation in a response, as it may be shown.
  func words(of response: OutboxResponse) -> String? { ServerWords(secrets: secrets).words(response) }

  private func rows(for items: [OutboxItem]) async throws -> ([NewRow], [HeldFile]) {
    var rows: [NewRow] = []
    var held: [HeldFile] = []
    do {
      for item in items {
        // One hold covers all files: there may be more than can be open at once.
        let (row, files) = try await row(for: item, under: held.first?.hold)
        rows.append(row)
        held += files
      }
    } catch {
      await folder.remove(held.map(\.name))
      throw error
    }
    return (rows, held)
  }

  private func row(for item: OutboxItem, under hold: ContentHold?) async throws -> (NewRow, [HeldFile]) {
    let request = item.request
    guard let id = item.id, let url = request.url else { preconditionFailure("named and checked before") }
    let (body, files) = try await body(item.pieces ?? BodyPieces(request.body), id, hold)
    let stored = StoredRequest(
      method: request.method, url: url.absoluteString, fields: request.fields, body: body,
      options: StoredOptions(request.options))
    let summary = RequestSummary(stored, shownURL: request.urlText(hiding: secrets))
    let content = seal.wrap(stored.encoded(), as: .content(of: id))
    let row = NewRow(
      id: id, lane: item.lane, holdsLane: item.holdsLane,
      priority: Int(request.options.priority.rawValue),
      lifetime: item.expires ?? request.options.deadline,
      summary: seal.wrap(summary.encoded(), as: .summary(of: id)), content: content,
      files: files.map(\.name), size: Int64(content.count) + files.reduce(0) { $0 + $1.size },
      origin: originName(of: url))
    return (row, files)
  }

  private func body(
    _ body: BodyPieces, _ id: OutboxID, _ hold: ContentHold?
  ) async throws -> (StoredBody, [HeldFile]) {
    let places = SegmentPlacement.places(of: body.segments)
    let copied = places.compactMap { if case .file(let segment) = $0 { segment } else { nil } }
    let files = copied.isEmpty ? [] : try await folder.write(copied, of: id, seal: seal, under: hold)
    var left = files[...]
    let stored = places.map { place -> StoredBody.Segment in
      switch place {
      case .row(let data): return .bytes(data)
      case .file:
        let file = left.removeFirst()
        return .file(name: file.name, length: file.length)
      }
    }
    return (StoredBody(kind: body.kind, contentType: body.contentType, segments: stored), files)
  }
}
