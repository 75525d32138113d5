/// Remembers the state of a body's files when a call first read them. A digest of a file, or a part of it
/// that was sent, is only right while the file is unchanged.
final class FilePins: Sendable {
  private let stamps = Locked<[ExactBytes: FileStamp]>([:])

  init() {}

  /// Returns false if the file has changed since the first call with its path.
  func isUnchanged(_ file: FileDescriptor) throws(FileError) -> Bool {
    let stamp = try file.stamp()
    let path = ExactBytes(file.path)
    return stamps.withLock { stamps in
      let first = stamps[path] ?? stamp
      stamps[path] = first
      return first == stamp
    }
  }

  static func change(of path: String) -> FileError {
    FileError(.read, path, "it changed after the request began to read it; send it when it is complete")
  }
}
