package import ErrandCore

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Stores blobs as files in the folder `files` of the outbox's folder.
///
/// A file exists before the row that names it, and is removed after that row. Before the row exists, the
/// process that wrote the file holds it (`ContentHold`). A sweep removes only files that are not held and
/// belong to no row. No process ever waits for another.
///
/// All file work runs on queues, never on the caller's thread.
package final class BlobFolder: BlobStore {
  let path: String
  let outbox: String
  private let work: FileWork
  private let mark: FolderMark?

  /// Creates a blob store for an outbox's folder. Nothing is written to the disk yet.
  /// - Parameter outbox: The outbox's folder, on a local disk. If it is missing, it is created for this user
  ///   only.
  package convenience init(in outbox: URL) { self.init(in: outbox, work: .queued) }

  /// - Parameter mark: A file in the folder, without which its other files count as not readable now.
  package init(in outbox: URL, work: FileWork, mark: FolderMark? = nil) {
    self.outbox = outbox.path
    self.work = work
    self.mark = mark
    path = outbox.appending(path: "files").path
  }

  /// The path of the outbox's folder.
  package var location: String { outbox }

  package func put(_ sources: [BlobSource]) async throws -> [StoredBlob] {
    if sources.isEmpty { return [] }
    let isCancelled = Locked(false)
    return try await withTaskCancellationHandler {
      try await perform { () throws -> [StoredBlob] in
        if let away = self.mark?.problem(in: self.outbox) {
          throw OutboxError(.notWritable, away.description)
        }
        try self.make()
        // One hold covers all files, because there may be more files than can be open at once.
        let writer = ContentWriter(folder: self.path, hold: try ContentHold(in: self.path)) {
          isCancelled.withLock { $0 }
        }
        var blobs: [StoredBlob] = []
        do {
          for source in sources { blobs.append(try writer.write(source)) }
          try ContentWriter.writing { () throws(FileError) in try FileDescriptor.flushFolder(self.path) }
        } catch {
          for blob in blobs { FileDescriptor.remove(self.file(blob.name)) }
          throw error
        }
        return blobs
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
  }

  /// - Throws: `RequestError.fileUnreadable`, with the reason: the file is missing, or has another length.
  package func open(_ name: String, size: Int64) throws -> any BodyReader {
    guard let digest = ContentFileName.digest(in: name) else { throw Self.unknown(name) }
    return try readable(name) { try StoredFileReader(file(name), length: size, digest: digest) }
  }

  /// A file that is missing because another folder is in the place of this one may be there later.
  private func readable<Value>(_ name: String, _ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch {
      guard let away = mark?.problem(in: outbox) else { throw error }
      throw RequestError.unreadableStoredFile(file(name), away, reachedServer: false)
    }
  }

  /// - Throws: The same errors as `open`.
  package func check(_ name: String, size: Int64) throws {
    guard ContentFileName.isContent(name) else { throw Self.unknown(name) }
    let path = file(name)
    try readable(name) {
      guard let status = FileDescriptor.status(of: path) else {
        throw RequestError.unreadableStoredFile(path, FileError(.open, path), reachedServer: false)
      }
      guard Int64(status.size) == size else {
        throw RequestError.unreadableStoredFile(
          path, FileError(.read, path, "it has \(Int64(status.size)) bytes, and \(size) were stored"),
          reachedServer: false)
      }
    }
  }

  private static func unknown(_ name: String) -> RequestError {
    let error = FileError(.open, name, "this is not the name of a stored file")
    return .unreadableStoredFile(name, error, reachedServer: false)
  }

  package func remove(_ names: [String]) async {
    let names = names.filter(ContentFileName.isContent)
    guard !names.isEmpty else { return }
    try? await perform {
      Failpoint.hit(.beforeFileRemoval)
      for name in names { FileDescriptor.remove(self.file(name)) }
      Failpoint.hit(.afterFileRemoval)
    }
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Creates the folder if it is missing.
  func make() throws(OutboxError) {
    try ContentWriter.writing { () throws(FileError) in
      guard FileDescriptor.status(of: path) == nil else { return }
      try? FileManager.default.createDirectory(
        at: URL(literalPath: outbox), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      try FileDescriptor.makeFolder(path)
      FolderOwner.adopt(folder: path, in: outbox)
      try FileDescriptor.flushFolder(outbox)
    }
  }

  func perform<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await self.work.perform(work)
  }
}
