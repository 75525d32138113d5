/// The state of a body's files when a call first read them. A digest of them, or a part of the body on the wire, is right
/// only as long as they stay so.
package final class FilePins: Sendable {
  private let stamps = Locked<[ExactBytes: FileStamp]>([:])

  init() {}

  /// Returns false if the file is not as it was when this was first called for its path.
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
