import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A file that one recorder at a time writes. It is locked, and only a file that Errand has written is
/// changed.
enum RecordingFile {
  /// The number of bytes at the beginning of a file that show its writer.
  private static let headSize = 4096

  /// Opens a file for recording. A missing file is created.
  /// - Parameters:
  ///   - kind: The kind of file in errors.
  ///   - isOwn: Returns true for the beginning of a file that Errand has written.
  /// - Throws: `FileError`, if another recorder writes the file, or Errand did not write it.
  static func open(_ path: String, _ kind: String, isOwn: (Data) -> Bool) throws -> FileDescriptor {
    guard case .regular(let place) = try FilePlace(path) else {
      throw FileError(.open, path, "it is not a regular file: choose another file for the recording")
    }
    let file = try FileDescriptor(writing: place)
    try file.lock(against: "another recorder")
    guard try file.length() > 0 else { return file }
    let head = try FileDescriptor(reading: place).read(headSize, at: 0)
    guard isOwn(head) else {
      throw FileError(
        .write, path,
        "it is not \(kind) that Errand has written: choose another file, or remove this one first")
    }
    return file
  }
}
