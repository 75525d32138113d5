import ErrandCore

/// Keeps files of the outbox's folder from being swept until their rows are stored, or they are gone: all that one process
/// writes for some requests, however many files that is, with one open file of its own.
///
/// That file is locked, and its name is that of a part, with the number that the names of all its files begin with.
final class ContentHold: Sendable {
  private let number: String
  private let file: FileDescriptor
  private let count = Locked<UInt32>(0)

  /// - Throws: `.notWritable`, `.diskFull`.
  init(in folder: String) throws(OutboxError) {
    (number, file) = try ContentWriter.writing { () throws(FileError) in
      for _ in 0..<100 {
        let number = ContentFileName.newHold()
        let path = "\(folder)/\(ContentFileName.hold(number))"
        guard FileDescriptor.status(of: path) == nil else { continue }
        let file = try FileDescriptor(private: path)
        // Who sweeps may be quicker, and take it for a dead one's.
        if file.claim() { return (number, file) }
      }
      throw FileError(.create, folder, "another process removes every file at once")
    }
  }

  deinit { FileDescriptor.remove(file.path) }

  /// For the name of one more file.
  func newNumber() -> String {
    ContentFileName.number(
      in: number,
      count.withLock { count in
        defer { count += 1 }
        return count
      })
  }
}
