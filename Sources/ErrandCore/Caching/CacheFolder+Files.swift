#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension CacheFolder {
  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file atomically: it is complete or missing, whenever the process or the machine ends.
  /// - Parameter move: Moves the finished part file into place.
  func place(
    as name: String, write: (FileDescriptor) throws -> Void, move: (String) throws(FileError) -> Void
  ) throws {
    try make()
    let part = try part(of: name)
    do {
      try write(part)
      try part.sync()
      try move(part.path)
    } catch {
      FileDescriptor.remove(part.path)
      throw error
    }
    // A power failure before this sync loses one cached response at worst.
    try? FileDescriptor(reading: path).sync()
  }

  private func part(of name: String) throws(FileError) -> FileDescriptor {
    for _ in 0..<100 {
      let name = CacheFileName.part(of: name, number: .random(in: 0...(.max)))
      let part = try FileDescriptor(private: file(name))
      // A sweep in another process may claim the file first, taking its writer for dead.
      if part.claim() { return part }
    }
    throw FileError(.create, path, "another process removes every file at once")
  }

  private func make() throws(FileError) {
    do {
      try FileDescriptor.makeFolder(path)
    } catch {
      guard error.isMissing else { throw error }
      let parent = URL(filePath: path).deletingLastPathComponent()
      try? FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
      try FileDescriptor.makeFolder(path)
    }
  }
}
