import ErrandCore

/// Opens the body of a stored request, once for each attempt.
struct StoredBodyOpener: Sendable {
  let segments: [StoredBody.Segment]
  let blobs: any BlobStore
  let seal: ContentSeal
  let id: OutboxID
  /// True if the files are encrypted, as the content is.
  let isSealed: Bool

  /// Opens the body. Only one file is open at a time, because a request may have more files than a process
  /// may open.
  /// - Throws: `RequestError.fileUnreadable` if a file is missing or has changed since it was stored;
  ///   `RequestError.bodyFailed` with a `StoreAway` if it cannot be read now.
  func open() throws -> any BodyReader {
    if segments.count == 1 { return try openSegments()[0] }
    for case .file(let name, let length) in segments {
      try Self.attributed(name) { try blobs.check(name, size: size(of: length)) }
    }
    var fileIndex = 0
    return ChainedReader(
      segments.map { segment -> any BodyReader in
        switch segment {
        case .bytes(let data):
          return LateReader(length: Int64(data.count)) { try SegmentReader([.bytes(data)]) }
        case .file(let name, let length):
          defer { fileIndex += 1 }
          return LateReader(length: length) { [self, fileIndex] in try lateReader(name, length, fileIndex) }
        }
      })
  }

  /// Opens a reader for each segment, all of them at once.
  func openSegments() throws -> [any BodyReader] {
    var fileIndex = 0
    return try segments.map { segment -> any BodyReader in
      switch segment {
      case .bytes(let data): return try SegmentReader([.bytes(data)])
      case .file(let name, let length):
        defer { fileIndex += 1 }
        return try reader(name, length, fileIndex)
      }
    }
  }

  /// Opens a file after the segments before it were sent. Therefore its errors say that the server was
  /// reached.
  private func lateReader(_ name: String, _ length: Int64, _ index: Int) throws -> any BodyReader {
    do {
      return try reader(name, length, index)
    } catch var error as RequestError {
      error.reachedServer = true
      throw error
    }
  }

  /// Opens or checks a blob. An error of the store that is not about the blob means only that the blob cannot
  /// be read now.
  private static func attributed<Value>(_ name: String, _ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as RequestError where error.code == .fileUnreadable || error.underlying is StoreAway {
      throw error
    } catch let error as OutboxError where [.fileUnreadable, .damaged].contains(error.code) {
      throw RequestError.unreadableStoredFile(name, error, reachedServer: false)
    } catch {
      throw RequestError.unreadableStoredFile(name, StoreAway(.store, "\(error)"), reachedServer: false)
    }
  }

  private func reader(_ name: String, _ length: Int64, _ index: Int) throws -> any BodyReader {
    let reader = try Self.attributed(name) { try blobs.open(name, size: size(of: length)) }
    guard isSealed else { return reader }
    return try SealedFileReader(reader, name, length: length, opening: seal, as: .file(index, of: id))
  }

  /// Returns the number of bytes of the blob for a segment of this length.
  private func size(of length: Int64) -> Int64 {
    isSealed ? SealedFileFormat.sealedLength(of: length) : length
  }
}
