import ErrandCore

/// Opens the body of a stored request, anew for each try.
struct StoredBodyOpener: Sendable {
  let segments: [StoredBody.Segment]
  let folder: ContentFolder
  let seal: ContentSeal
  let id: OutboxID
  /// True if its files are sealed, as its content is.
  let isSealed: Bool

  /// - Throws: `RequestError.fileUnreadable`: a file is missing, or not what was stored.
  func open() throws -> any BodyReader {
    let readers = try openSegments()
    return readers.count == 1 ? readers[0] : ChainedReader(readers)
  }

  /// A reader for each segment by itself.
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

  private func reader(_ name: String, _ length: Int64, _ index: Int) throws -> any BodyReader {
    let path = folder.file(name)
    if isSealed { return try SealedFileReader(path, length: length, opening: seal, as: .file(index, of: id)) }
    guard let digest = ContentFileName.digest(in: name) else {
      preconditionFailure("checked when it was read")
    }
    return try StoredFileReader(path, length: length, digest: digest)
  }
}
