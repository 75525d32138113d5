import ErrandCore
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
  private let work: UploadWork
  /// Opens the content at an offset.
  let open: @Sendable (_ offset: Int64) throws -> any BodyReader
  /// Makes the content ready to be opened at an offset, if that takes long.
  let prepare: @Sendable (_ offset: Int64) async throws -> Void

  init(
    length: Int64, name: String?, key: String,
    identity: @escaping @Sendable () throws -> UploadRecord.Identity, work: UploadWork = .queued,
    open: @escaping @Sendable (_ offset: Int64) throws -> any BodyReader,
    prepare: @escaping @Sendable (_ offset: Int64) async throws -> Void = { _ in }
  ) {
    (self.length, self.name, self.key) = (length, name, key)
    (self.identity, self.work, self.open, self.prepare) = (identity, work, open, prepare)
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

  /// Returns the SHA-256 of a part of the content.
  func digest(of range: Range<Int64>) async throws -> Data {
    let reader = try open(range.lowerBound)
    defer { reader.close() }
    let hash = QueuedHash()
    try await reader.drain(range.upperBound - range.lowerBound, work) { hash.update($0) }
    return hash.finalize()
  }
}

private final class QueuedHash: Sendable {
  // Safe to share: the queue that reads updates it, and then it is finalized once.
  private nonisolated(unsafe) var state: HashState? = HashState(.sha256)

  func update(_ bytes: UnsafeRawBufferPointer) { state?.update(bytes) }

  func finalize() -> Data {
    guard var state = state.take() else { return Data() }
    return Data(state.finalize())
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
