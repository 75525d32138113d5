import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Stores exported requests, each as soon as it is complete.
struct Importer {
  /// The most requests without files that are stored together, and the most bytes of their bodies.
  private static let mostTogether = 100
  private static let mostBytesTogether: Int64 = 1 << 20

  private struct Current {
    /// Nil if the outbox knows the request already: its bytes are then checked and discarded.
    var item: OutboxItem?
    var spool: BodySpool
  }

  private let outbox: Outbox
  private var splitter = LineSplitter()
  private var state = ImportState()
  private var current: Current?
  private var batch: [OutboxItem] = []
  private var batchBytes: Int64 = 0
  private var counts = OutboxImport()
  /// The number of the last line that was read.
  private var line = 0

  init(_ outbox: Outbox) { self.outbox = outbox }

  mutating func run<Exported: AsyncSequence>(_ exported: Exported) async throws -> OutboxImport
  where Exported.Element == Data {
    do {
      for try await piece in exported { try await take(piece) }
      if let last = splitter.finish() { try await take(line: last) }
      try state.finish()
      try await store()
      return counts
    } catch {
      await current?.spool.remove()
      // Requests that were complete before the error are stored.
      try await store()
      guard let fault = error as? ImportFault else { throw error }
      throw OutboxError(
        fault.code, "line \(line): \(fault.reason); requests stored before it: \(counts.stored)")
    }
  }

  private mutating func take(_ piece: Data) async throws {
    for line in splitter.lines(in: piece) { try await take(line: line) }
    guard !splitter.isOverfull else {
      line += 1
      throw ImportFault("it is longer than any exported line")
    }
  }

  private mutating func take(line data: Data) async throws {
    line += 1
    guard data.contains(where: { !" \t\r".utf8.contains($0) }) else { return }
    let found = try await outbox.storage.perform { try ExportedLine(decoding: data) }
    for step in try state.take(found) {
      switch step {
      case .begin(let head): try await begin(head)
      case .add(let bytes, let segment):
        if current?.item != nil { try await current?.spool.add(bytes, to: segment) }
      case .complete: try await complete()
      }
    }
  }

  private mutating func begin(_ head: ExportedHead) async throws {
    let item = try item(of: head)
    let id = OutboxID(rawValue: head.id)
    var isKnown = batch.contains { $0.id == id }
    if !isKnown { isKnown = try await outbox.store.row(id) != nil }
    current = Current(
      item: isKnown ? nil : item,
      spool: try await BodySpool(isKnown ? [] : head.segments, in: outbox.storage.spool))
  }

  /// Returns a request to import, without its body.
  /// - Throws: If `enqueue` would refuse the request.
  private func item(of head: ExportedHead) throws(ImportFault) -> OutboxItem {
    let request = try head.request()
    do {
      // The body follows later, but its content type is checked like any other header field.
      let typed = head.contentType.map { request.body(.bytes(Data(), contentType: $0)) } ?? request
      try typed.checkStorable(hiding: outbox.storage.secrets)
    } catch {
      throw ImportFault(error.message, code: error.code)
    }
    var item = outbox.named(
      OutboxItem(request, lane: head.lane, key: head.options?.key), OutboxID(rawValue: head.id))
    item.resuming = head.options?.resumption?.resumption
    item.uploadName = head.options?.resumption?.name
    item.expiry = try head.expiry()
    item.notBefore = try head.begin()
    item.pieces = BodyPieces(kind: head.body, contentType: head.contentType, segments: [])
    return item
  }

  private mutating func complete() async throws {
    guard let current else { return }
    guard var item = current.item else {
      counts.known += 1
      self.current = nil
      return
    }
    item.pieces?.segments = current.spool.segments
    batch.append(item)
    batchBytes += item.pieces?.bytesInMemory ?? 0
    // The spooled files have to stay until the request is stored.
    let isFull = batch.count >= Self.mostTogether || batchBytes >= Self.mostBytesTogether
    if current.spool.hasFiles || isFull { try await store() }
    await current.spool.remove()
    self.current = nil
  }

  /// Counts requests that were stored. `known` has the indices of requests that another process stored first.
  private mutating func count(_ known: Set<Int>, of all: Int) {
    counts.stored += all - known.count
    counts.known += known.count
  }

  /// Stores the complete requests. If storing all together fails, it stores them one by one up to the first
  /// that fails.
  private mutating func store() async throws {
    let items = batch
    batch = []
    batchBytes = 0
    guard !items.isEmpty else { return }
    do {
      count(try await outbox.add(items), of: items.count)
    } catch  where items.count > 1 {
      for item in items {
        count(try await outbox.add([item]), of: 1)
        outbox.dispatcher.look()
      }
    }
    outbox.dispatcher.look()
  }
}
