package import ErrandCore

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A body to store in a `BlobStore`: bytes in memory or a file, encrypted if the outbox has a key.
package struct BlobSource: Sendable {
  /// The request that the body belongs to.
  package let request: OutboxID
  private let segment: BodySegment
  private let index: Int
  private let seal: ContentSeal

  /// - Parameter index: The index of the body among those of the request.
  init(_ segment: BodySegment, _ index: Int, of request: OutboxID, seal: ContentSeal) {
    self.request = request
    self.segment = segment
    self.index = index
    self.seal = seal
  }

  /// Creates a body that is stored as it is.
  package init(_ segment: BodySegment, of request: OutboxID) {
    self.init(segment, 0, of: request, seal: ContentSeal(nil))
  }

  /// Opens the body for one reading. Blocks for as long as opening a file takes.
  /// - Throws: `OutboxError.fileUnreadable` if its file is missing, or is not a regular file.
  package func open() throws -> Reader {
    let source = try FixedSource(segment)
    guard let key = seal.key else { return Reader(source, size: source.length) }
    let fileKey = OutboxKey.random()
    var reader = Reader(source, size: SealedFileFormat.sealedLength(of: source.length))
    reader.fileKey = fileKey
    reader.head = SealedFileFormat.head(for: fileKey, sealedWith: key, as: .file(index, of: request))
    return reader
  }
}

extension BlobSource {
  /// Reads a body once, from its start to its end.
  package struct Reader: ~Copyable {
    private static let pieceLength = SealedFileFormat.chunkLength

    /// The total number of bytes.
    package let size: Int64
    private let source: FixedSource
    /// The key that the pieces are encrypted with; nil for none.
    fileprivate var fileKey: OutboxKey?
    /// The head of an encrypted body, until it is read.
    fileprivate var head: Data?
    private var index: Int64 = 0

    fileprivate init(_ source: FixedSource, size: Int64) {
      self.source = source
      self.size = size
    }

    /// The file whose bytes are stored unchanged, if there is one: it may be cloned.
    var plainFile: FileDescriptor? { fileKey == nil ? source.file : nil }

    /// Returns the next bytes, at most about 64 KiB; nil at the end. Blocks for as long as reading a file
    /// takes.
    /// - Throws: `OutboxError.fileUnreadable` if the file cannot be read, or was changed after `open`.
    package mutating func next() throws -> Data? {
      if let head = head.take() { return head }
      // An encrypted body has a last piece, even if it is empty.
      let count = max(
        fileKey == nil ? 0 : 1, (source.length + Int64(Self.pieceLength) - 1) / Int64(Self.pieceLength))
      guard index < count else {
        try checkUnchanged()
        return nil
      }
      let offset = index * Int64(Self.pieceLength)
      let piece = try source.read(Int(min(source.length - offset, Int64(Self.pieceLength))), at: offset)
      defer { index += 1 }
      guard let fileKey else { return piece }
      return SealedFileFormat.seal(piece, index, isLast: index + 1 == count, with: fileKey)
    }

    /// - Throws: `OutboxError.fileUnreadable` if the file was changed after `open`.
    func checkUnchanged() throws { try source.checkUnchanged() }
  }
}

/// Bytes, or a file that must not change while it is read.
private enum FixedSource {
  case bytes(Data)
  case opened(FileDescriptor, length: Int64, FileStamp)

  /// - Throws: `.fileUnreadable` if the file is missing, or is not a regular file.
  init(_ segment: BodySegment) throws(OutboxError) {
    switch segment {
    case .bytes(let data): self = .bytes(data)
    case .file(let path):
      do throws(FileError) {
        let file = try FileDescriptor(reading: path)
        self = .opened(file, length: try file.length(), try file.stamp())
      } catch {
        throw .unreadable(error)
      }
    }
  }

  var file: FileDescriptor? { if case .opened(let file, _, _) = self { file } else { nil } }

  var length: Int64 {
    switch self {
    case .bytes(let data): Int64(data.count)
    case .opened(_, let length, _): length
    }
  }

  /// Returns this many bytes from the offset on.
  func read(_ count: Int, at offset: Int64) throws -> Data {
    switch self {
    case .bytes(let data):
      let start = data.startIndex + Int(offset)
      return data[start..<start + count]
    case .opened(let file, _, _):
      let data: Data
      do {
        data = try file.read(count, at: offset)
      } catch {
        throw OutboxError(.fileUnreadable, "the file to upload cannot be used: \(error)")
      }
      guard data.count == count else { throw Self.changed(file) }
      return data
    }
  }

  /// - Throws: `.fileUnreadable` if the file was changed after it was opened.
  func checkUnchanged() throws(OutboxError) {
    guard case .opened(let file, _, let stamp) = self else { return }
    let now: FileStamp
    do throws(FileError) { now = try file.stamp() } catch { throw .unreadable(error) }
    guard now == stamp else { throw Self.changed(file) }
  }

  private static func changed(_ file: FileDescriptor) -> OutboxError {
    .unreadable(FileError(.read, file.path, "it changed while it was copied; store it when it is complete"))
  }
}
