import Dispatch
import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Exports stored requests, line by line.
struct Exporter {
  private static let pageSize = 100

  let store: any OutboxStore
  let storage: RequestStorage

  /// Exports the selected requests that are stored, being attempted or dead letters.
  /// - Returns: The number of exported requests.
  func export(_ selection: OutboxSelection, to write: (Data) async throws -> Void) async throws -> Int {
    let selection = selection.limited(to: [.stored, .attempting, .deadLettered])
    var count = 0
    var last: Int64 = 0
    while true {
      let page = try await store.list(selection, after: last, limit: Self.pageSize)
      for row in page {
        if try await export(row, to: write) { count += 1 }
      }
      guard let end = page.last, page.count == Self.pageSize else { return count }
      last = end.sequence
    }
  }

  /// Exports one request. Returns false if the request has ended in the meantime.
  private func export(_ row: OutboxRow, to write: (Data) async throws -> Void) async throws -> Bool {
    guard let content = try await content(of: row.id) else { return false }
    let (request, opener) = try storage.stored(from: content, of: row.id)
    let readers: [any BodyReader]
    do {
      // All files are opened before anything is written. After that they can be read even if they are
      // removed.
      readers = try await storage.perform { try opener.openSegments() }
    } catch {
      guard try await self.content(of: row.id) != nil else { return false }
      throw Self.unreadable(row.id, error)
    }
    defer { for reader in readers { reader.close() } }
    try await write(ExportedLine.head(ExportedHead(row, request)).encoded())
    for (index, (segment, reader)) in zip(request.body.segments, readers.map(WaitingReader.init)).enumerated()
    {
      var left = segment.length
      while left > 0 {
        let count = Int(min(left, Int64(ExportedPiece.longest)))
        let line = try await storage.perform {
          let bytes: Data
          do { bytes = try reader.next(count) } catch { throw Self.unreadable(row.id, error) }
          return ExportedLine.piece(
            ExportedPiece(of: row.id.rawValue, segment: index, bytes: bytes)
          ).encoded()
        }
        try await write(line)
        left -= Int64(count)
      }
    }
    return true
  }

  private func content(of id: OutboxID) async throws -> Data? {
    try await store.contents(of: [id]).first ?? nil
  }

  private static func unreadable(_ id: OutboxID, _ error: any Error) -> OutboxError {
    OutboxError(.fileUnreadable, "request \(id) cannot be exported: \(error)")
  }
}

/// Reads a body on threads that may wait for its bytes, such as those from a database.
private struct WaitingReader: Sendable {
  let reader: any BodyReader
  private let ready = DispatchSemaphore(value: 0)

  init(_ reader: any BodyReader) {
    self.reader = reader
    reader.onReady { [ready] in ready.signal() }
  }

  /// Reads exactly this many bytes.
  func next(_ count: Int) throws -> Data {
    var data = Data(count: count)
    try data.withUnsafeMutableBytes { buffer in
      var done = 0
      while done < count {
        switch try reader.fill(UnsafeMutableRawBufferPointer(rebasing: buffer[done...])) {
        case .bytes(let count): done += count
        case .notYet: ready.wait()
        case .end: throw OutboxError(.damaged, "its body ends too early")
        }
      }
    }
    return data
  }
}
