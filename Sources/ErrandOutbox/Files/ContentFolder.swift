import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The folder with the files of stored requests: `files` in the outbox's folder.
///
/// A file exists before the row that names it, and is removed after it. In between, the process that wrote it
/// holds it (`ContentHold`): only files that are not held and belong to no row are swept. No process ever
/// waits for another.
///
/// All file work is done on queues, never on the caller's thread.
final class ContentFolder: Sendable {
  let path: String
  private let outbox: String
  private let work: FileWork

  /// Creates nothing on disk yet.
  /// - Parameter outbox: The outbox's folder.
  init(in outbox: URL, work: FileWork = .queued) {
    self.outbox = outbox.path
    self.work = work
    path = outbox.appending(path: "files").path
  }

  /// Copies the segments of a request into files, all or none. They are durable when this returns.
  /// - Parameter hold: The hold of the files; nil for a new one.
  /// - Returns: A file for each segment, in the same order.
  /// - Throws: `OutboxError`: `.fileUnreadable`, `.diskFull`, `.notWritable`; or `CancellationError`.
  func write(
    _ segments: [BodySegment], of id: OutboxID, seal: ContentSeal, under hold: ContentHold? = nil
  ) async throws -> [HeldFile] {
    let isCancelled = Locked(false)
    return try await withTaskCancellationHandler {
      try await perform { () throws -> [HeldFile] in
        try self.make()
        let writer = ContentWriter(
          folder: self.path, seal: seal, hold: try hold ?? ContentHold(in: self.path)
        ) {
          isCancelled.withLock { $0 }
        }
        var files: [HeldFile] = []
        do {
          for (index, segment) in segments.enumerated() {
            files.append(try writer.write(segment, index, of: id))
          }
          try ContentWriter.writing { () throws(FileError) in try FileDescriptor.flushFolder(self.path) }
        } catch {
          for file in files { FileDescriptor.remove(self.file(file.name)) }
          throw error
        }
        return files
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
  }

  /// Removes files that belong to no request any more. Files that cannot be removed are swept later.
  func remove(_ names: [String]) async {
    let names = names.filter(ContentFileName.isContent)
    guard !names.isEmpty else { return }
    try? await perform {
      Failpoint.hit(.beforeFileRemoval)
      for name in names { FileDescriptor.remove(self.file(name)) }
      Failpoint.hit(.afterFileRemoval)
    }
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Makes the folder if it is missing.
  func make() throws(OutboxError) {
    try ContentWriter.writing { () throws(FileError) in
      guard FileDescriptor.status(of: path) == nil else { return }
      try? FileManager.default.createDirectory(
        at: URL(filePath: outbox), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      try FileDescriptor.makeFolder(path)
      try FileDescriptor.flushFolder(outbox)
    }
  }

  func perform<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await self.work.perform(work)
  }
}
