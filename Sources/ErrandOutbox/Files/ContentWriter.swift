import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Darwin)
  import Darwin
#endif

/// Writes one file into the outbox's folder, whole and durable, or not at all. All methods block.
struct ContentWriter {
  let folder: String
  let seal: ContentSeal
  let hold: ContentHold
  let isCancelled: @Sendable () -> Bool

  /// - Parameter index: The index of the file among the request's files.
  func write(_ segment: BodySegment, _ index: Int, of id: OutboxID) throws -> HeldFile {
    let source = try ContentSource(segment)
    let number = hold.newNumber()
    var part = try newPart(number)
    do {
      Failpoint.hit(.beforeFileWrite)
      let (digest, size) =
        try seal.key == nil ? copyPlain(source, &part) : copySealed(source, part, as: .file(index, of: id))
      try source.checkUnchanged()
      let name = ContentFileName.of(digest, id, number)
      try Self.writing { () throws(FileError) in
        Failpoint.hit(.afterFileWrite)
        try part.flush()
        try FileDescriptor.move(part.path, to: "\(folder)/\(name)")
        Failpoint.hit(.afterFileMove)
      }
      return HeldFile(name: name, length: source.length, size: size, hold: hold)
    } catch {
      FileDescriptor.remove(part.path)
      throw error
    }
  }

  /// Makes an empty part.
  func newPart(_ number: String) throws(OutboxError) -> FileDescriptor {
    try Self.writing { () throws(FileError) in
      try FileDescriptor(private: "\(folder)/\(ContentFileName.part(number))")
    }
  }

  static func writing<Result>(_ work: () throws(FileError) -> Result) throws(OutboxError) -> Result {
    do { return try work() } catch { throw .unwritable(error) }
  }

  private func copyPlain(
    _ source: ContentSource, _ part: inout FileDescriptor
  ) throws -> (digest: SHA256Digest, length: Int64) {
    if case .file(let file, _, _) = source, let clone = cloned(file, part) {
      part = clone
      return (try digest(of: part, length: source.length), source.length)
    }
    var output = DigestedOutput(part)
    while output.length < source.length { try output.append(next(of: source, at: output.length)) }
    return output.finish()
  }

  private func copySealed(
    _ source: ContentSource, _ part: FileDescriptor, as name: SealedPart
  ) throws -> (digest: SHA256Digest, length: Int64) {
    guard let key = seal.key else { preconditionFailure("asked for with a key only") }
    let fileKey = OutboxKey.random()
    var output = DigestedOutput(part)
    try output.append(SealedFileFormat.head(for: fileKey, sealedWith: key, as: name))
    let count = SealedFileFormat.chunkCount(of: source.length)
    for index in 0..<count {
      let chunk = try next(of: source, at: index * Int64(SealedFileFormat.chunkLength))
      try output.append(SealedFileFormat.seal(chunk, index, isLast: index + 1 == count, with: fileKey))
    }
    return output.finish()
  }

  private func next(of source: ContentSource, at offset: Int64) throws -> Data {
    if isCancelled() { throw CancellationError() }
    return try source.read(
      Int(min(source.length - offset, Int64(SealedFileFormat.chunkLength))), at: offset)
  }

  /// Returns the part as a clone that shares the file's blocks, or nil if the file system cannot clone.
  private func cloned(_ file: FileDescriptor, _ part: FileDescriptor) -> FileDescriptor? {
    #if canImport(Darwin)
      // `fclonefileat` creates the file itself.
      let path = "\(folder)/\(ContentFileName.part(hold.newNumber()))"
      guard fclonefileat(file.raw, AT_FDCWD, path, 0) == 0 else { return nil }
      guard let clone = try? FileDescriptor(writing: path), fchmod(clone.raw, 0o600) == 0 else {
        FileDescriptor.remove(path)
        return nil
      }
      FileDescriptor.remove(part.path)
      return clone
    #else
      return part.clone(file) ? part : nil
    #endif
  }

  private func digest(of part: FileDescriptor, length: Int64) throws -> SHA256Digest {
    let copy = try Self.writing { () throws(FileError) in try FileDescriptor(reading: part.path) }
    var hash = SHA256()
    var offset: Int64 = 0
    while offset < length {
      if isCancelled() { throw CancellationError() }
      let chunk = try copy.read(Int(min(length - offset, 1 << 20)), at: offset)
      // The source was truncated while it was cloned; `checkUnchanged` reports that afterwards.
      if chunk.isEmpty { break }
      hash.update(chunk)
      offset += Int64(chunk.count)
    }
    return hash.finalize()
  }
}
