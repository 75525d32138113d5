import Dispatch
package import ErrandCore
import ErrandCrypto

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The content of an upload, which can be read from any offset.
package struct UploadSource: Sendable {
  /// The length in bytes.
  package let length: Int64
  /// The name of the file, for servers that want one; nil for content without a name.
  package let name: String?
  /// Tells the content apart from other content for the same URL, also after it has changed: the path of a file.
  package let key: String
  /// Returns the present state of the content. It differs from an earlier one if the content has changed.
  package let identity: @Sendable () throws -> UploadRecord.Identity
  /// Opens the content at an offset.
  package let open: @Sendable (_ offset: Int64) throws -> any BodyReader

  package init(
    length: Int64, name: String?, key: String,
    identity: @escaping @Sendable () throws -> UploadRecord.Identity,
    open: @escaping @Sendable (_ offset: Int64) throws -> any BodyReader
  ) {
    (self.length, self.name, self.key) = (length, name, key)
    (self.identity, self.open) = (identity, open)
  }

  /// Creates the source of a request's body; nil if the body cannot be read from an offset: a stream, a form, or code.
  /// - Throws: `RequestError`, if the file cannot be read.
  init?(_ body: RequestBody) throws {
    switch body.layout {
    case .file(let path): try self.init(file: path)
    case .bytes(let data):
      let identity = UploadRecord.Identity(size: Int64(data.count), stamp: "\(SHA256Digest(hashing: data))")
      self.init(
        length: Int64(data.count), name: nil, key: identity.stamp, identity: { identity },
        open: { try SegmentReader([.bytes(Data(data.dropFirst(Int($0))))]) })
    case .none, .multipart, .stream, .source, .invalid: return nil
    }
  }

  private init(file path: String) throws {
    let identity: @Sendable () throws -> UploadRecord.Identity = {
      try Self.attributed {
        let file = try FileDescriptor(reading: path)
        return UploadRecord.Identity(size: try file.length(), stamp: try file.stamp().text)
      }
    }
    let name = path.split(separator: "/").last.map(String.init)
    self.init(
      length: try identity().size, name: name, key: path, identity: identity,
      open: { offset in
        try Self.attributed { FileReader(try FileDescriptor(reading: path), from: offset) }
      })
  }

  private static func attributed<Value>(_ work: () throws -> Value) throws -> Value {
    do { return try work() } catch let error as FileError {
      throw RequestError(
        .fileUnreadable, message: "the file to upload cannot be used: \(error)", reachedServer: false,
        underlying: error)
    }
  }

  /// Reads `count` bytes of a reader that is at its start and never waits, and discards them. A source of content that
  /// can only be read from its start opens it so at an offset.
  /// - Throws: The reader's error; `RequestError`, if it has fewer bytes.
  package static func skip(_ count: Int64, of reader: any BodyReader) throws {
    try read(count, of: reader) { _ in }
  }

  /// Returns the SHA-256 of a part of the content, which is read on another thread.
  func digest(of range: Range<Int64>) async throws -> Data {
    try await withCheckedThrowingContinuation { continuation in
      Self.hashing.async {
        continuation.resume(
          with: Result {
            let reader = try open(range.lowerBound)
            defer { reader.close() }
            return try Self.digest(of: range.upperBound - range.lowerBound, from: reader)
          })
      }
    }
  }

  private static let hashing = DispatchQueue(label: "errand.upload.digest")

  private static func digest(of count: Int64, from reader: any BodyReader) throws -> Data {
    var hash = HashState(.sha256)
    try read(count, of: reader) { hash.update($0) }
    return Data(hash.finalize())
  }

  private static func read(
    _ count: Int64, of reader: any BodyReader, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws {
    var rest = count
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    defer { room.deallocate() }
    while rest > 0 {
      let part = UnsafeMutableRawBufferPointer(rebasing: room.prefix(Int(min(rest, Int64(room.count)))))
      guard case .bytes(let read) = try reader.fill(part), read > 0 else {
        throw RequestError(
          .fileChanged, message: "the content to upload is shorter than before", reachedServer: false)
      }
      body(UnsafeRawBufferPointer(rebasing: part.prefix(read)))
      rest -= Int64(read)
    }
  }
}

/// Reads a file from an offset.
private final class FileReader: BodyReader {
  let length: Int64? = nil
  private let file: FileDescriptor
  private let offset: Locked<Int64>

  init(_ file: FileDescriptor, from offset: Int64) {
    self.file = file
    self.offset = Locked(offset)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> BodyRead {
    try offset.withLock { offset in
      let count: Int
      do { count = try file.read(into: buffer, at: offset) } catch {
        throw RequestError(
          .fileUnreadable, message: "the upload was stopped: \(error)", reachedServer: true, underlying: error
        )
      }
      offset += Int64(count)
      return count == 0 ? .end : .bytes(count)
    }
  }

  func onReady(_ handler: @escaping @Sendable () -> Void) {}
  func close() {}
}
