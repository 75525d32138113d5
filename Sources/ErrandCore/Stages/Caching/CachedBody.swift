import Dispatch

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The body of a cached response: in memory, or a part of an open file, which takes no memory.
package struct CachedBody: Sendable, Hashable {
  private enum Place: Sendable {
    case memory(Data)
    case file(FileDescriptor, start: Int64)
  }

  private let place: Place
  /// The number of bytes.
  package let count: Int64

  package init(_ data: Data) {
    place = .memory(data)
    count = Int64(data.count)
  }

  /// - Parameter start: The position of the first byte in the file. The bytes must not change.
  init(_ file: FileDescriptor, start: Int64, count: Int64) {
    place = .file(file, start: start)
    self.count = count
  }

  /// The bytes; nil if they are in a file.
  package var inMemory: Data? {
    if case .memory(let data) = place { data } else { nil }
  }

  /// The file that has the bytes, and the position of the first one; nil if they are in memory.
  var placeInFile: (file: FileDescriptor, start: Int64)? {
    if case .file(let file, let start) = place { (file, start) } else { nil }
  }

  /// Returns a part of the body.
  /// - Parameter range: Positions in the body.
  func part(_ range: Range<Int64>) -> CachedBody {
    switch place {
    case .memory(let data):
      let first = data.startIndex + Int(range.lowerBound)
      // Copied, because the indices of a slice do not begin at 0.
      return CachedBody(Data(data[first..<first + range.count]))
    case .file(let file, let start):
      return CachedBody(file, start: start + range.lowerBound, count: Int64(range.count))
    }
  }

  /// Calls `take` with each piece of the body, in order. Blocks while it reads a file.
  func forEachPiece(_ take: (Data) throws -> Void) throws {
    switch place {
    case .memory(let data): if !data.isEmpty { try take(data) }
    case .file:
      var offset: Int64 = 0
      while offset < count {
        let piece = try piece(at: offset)
        try take(piece)
        offset += Int64(piece.count)
      }
    }
  }

  /// The most bytes of a file that are read at a time.
  private static let pieceSize = 256 << 10

  /// Returns a piece of the body that begins at a position. Blocks while it reads a file.
  func piece(at offset: Int64) throws -> Data {
    switch place {
    case .memory(let data): return data.dropFirst(Int(offset))
    case .file(let file, let start):
      let data = try file.read(Int(min(Int64(Self.pieceSize), count - offset)), at: start + offset)
      guard !data.isEmpty else { throw FileError(.read, file.path, "it was truncated") }
      return data
    }
  }

  /// Returns all bytes. Blocks while it reads a file.
  func loaded() throws -> Data {
    if let inMemory { return inMemory }
    var data = Data(capacity: Int(count))
    try forEachPiece { data.append($0) }
    return data
  }

  /// Returns all bytes. A file is read on a dedicated thread.
  func load() async throws -> Data {
    if let inMemory { return inMemory }
    return try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "errand.cache.load").async {
        continuation.resume(with: Result { try self.loaded() })
      }
    }
  }

  /// Compares bytes in memory; a file's bytes equal only themselves.
  package static func == (left: CachedBody, right: CachedBody) -> Bool {
    switch (left.place, right.place) {
    case (.memory(let one), .memory(let other)): one == other
    case (.file(let one, let start), .file(let other, let otherStart)):
      one === other && start == otherStart && left.count == right.count
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    if let inMemory { hasher.combine(inMemory) }
  }
}
