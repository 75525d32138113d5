import ErrandCore

/// Opens the body of a stored request, anew for each attempt.
struct StoredBodyOpener: Sendable {
  let segments: [StoredBody.Segment]
  let folder: ContentFolder
  let seal: ContentSeal
  let id: OutboxID
  /// True if the files are encrypted, as the content is.
  let isSealed: Bool

  /// Opens the body. One file is open at a time: a request may have more than a process may open.
  /// - Throws: `RequestError.fileUnreadable` if a file is missing, or not what was stored.
  func open() throws -> any BodyReader {
    if segments.count == 1 { return try openSegments()[0] }
    for case .file(let name, let length) in segments { try check(name, length) }
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

  /// Checks a file's existence and length without opening it.
  private func check(_ name: String, _ length: Int64) throws(RequestError) {
    let path = folder.file(name)
    let expected = isSealed ? SealedFileFormat.sealedLength(of: length) : length
    guard let status = FileDescriptor.status(of: path) else {
      throw .unreadableStoredFile(path, FileError(.open, path), reachedServer: false)
    }
    guard Int64(status.size) == expected else {
      throw .unreadableStoredFile(
        path, FileError(.read, path, "it has \(Int64(status.size)) bytes, and \(expected) were stored"),
        reachedServer: false)
    }
  }

  /// Opens a file after the segments before it were sent, so its errors say that the server was reached.
  private func lateReader(_ name: String, _ length: Int64, _ index: Int) throws -> any BodyReader {
    do {
      return try reader(name, length, index)
    } catch let error as RequestError {
      throw RequestError.unreadableStoredFile(
        folder.file(name), error.underlying ?? error, reachedServer: true)
    }
  }

  private func reader(_ name: String, _ length: Int64, _ index: Int) throws -> any BodyReader {
    let path = folder.file(name)
    if isSealed { return try SealedFileReader(path, length: length, opening: seal, as: .file(index, of: id)) }
    guard let digest = ContentFileName.digest(in: name) else {
      preconditionFailure("checked when it was read")
    }
    return try StoredFileReader(path, length: length, digest: digest)
  }
}

extension RequestError {
  /// Returns the error for a stored file that cannot be sent: another attempt does not help.
  static func unreadableStoredFile(_ path: String, _ error: any Error, reachedServer: Bool) -> RequestError {
    RequestError(
      .fileUnreadable, message: "the stored file \(path) cannot be sent: \(error)",
      reachedServer: reachedServer, underlying: error)
  }
}
