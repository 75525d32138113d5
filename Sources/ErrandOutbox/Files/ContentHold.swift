import ErrandCore

/// Keeps files in the outbox's folder from being swept until their rows are stored or the files are removed.
/// One hold, with one open file of its own, covers all files that a process writes for some requests, however
/// many.
///
/// The hold's file is locked. It is named like a part, and its number begins with the hold's, as do the
/// numbers of all its files.
final class ContentHold: Sendable {
  private let number: String
  private let file: FileDescriptor
  private let count = Locked<UInt32>(0)

  /// Makes a hold and locks its file.
  /// - Throws: `.notWritable`, `.diskFull`.
  init(in folder: String) throws(OutboxError) {
    (number, file) = try ContentWriter.writing { () throws(FileError) in
      for _ in 0..<100 {
        let number = ContentFileName.newHold()
        let path = "\(folder)/\(ContentFileName.hold(number))"
        guard FileDescriptor.status(of: path) == nil else { continue }
        let file = try FileDescriptor(private: path)
        // A sweeper may lock the file first, taking it for that of an ended process.
        if file.claim() { return (number, file) }
      }
      throw FileError(.create, folder, "another process removes every file at once")
    }
  }

  deinit { FileDescriptor.remove(file.path) }

  /// Returns the number for the name of one more file.
  func newNumber() -> String {
    ContentFileName.number(
      in: number,
      count.withLock { count in
        defer { count += 1 }
        return count
      })
  }
}
