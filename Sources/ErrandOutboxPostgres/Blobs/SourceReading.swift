#if Postgres
  import ErrandOutbox

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Reads a body in pieces, on threads that may wait for a disk.
  // Its variables need no lock: its only user waits for each piece before it reads the next.
  final class SourceReading: Sendable {
    nonisolated(unsafe) private var reader: BlobSource.Reader
    nonisolated(unsafe) private var rest = Data()
    let size: Int64

    private init(_ reader: consuming BlobSource.Reader) {
      size = reader.size
      self.reader = reader
    }

    static func open(_ source: BlobSource) async throws -> SourceReading {
      try await FileWork.queued.perform { SourceReading(try source.open()) }
    }

    /// Returns this many bytes, or fewer at the end.
    func next(_ count: Int) async throws -> Data {
      try await FileWork.queued.perform { try self.read(count) }
    }

    private func read(_ count: Int) throws -> Data {
      while rest.count < count, let piece = try reader.next() { rest += piece }
      let piece = Data(rest.prefix(count))
      rest = Data(rest.dropFirst(piece.count))
      return piece
    }
  }
#endif
