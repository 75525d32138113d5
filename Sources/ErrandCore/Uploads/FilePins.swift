/// The state of a body's files when they were first read for an attempt. A digest or a signature that was made of them
/// is right only as long as they stay so.
final class FilePins: Sendable {
  private let stamps = Locked<[Int: FileStamp]>([:])

  init() {}

  /// Returns false if the file is not as it was when this was first called for it.
  /// - Parameter index: The file's place in the body.
  func isUnchanged(_ file: FileDescriptor, _ index: Int) throws(FileError) -> Bool {
    let stamp = try file.stamp()
    return stamps.withLock { stamps in
      let first = stamps[index] ?? stamp
      stamps[index] = first
      return first == stamp
    }
  }

  static func change(of path: String) -> FileError {
    FileError(.read, path, "it changed after its digest or its signature was made; send it again")
  }
}
