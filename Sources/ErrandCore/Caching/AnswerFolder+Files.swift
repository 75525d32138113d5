#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension AnswerFolder {
  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Makes a file that is there whole or not at all, whenever the process or the machine ends.
  /// - Parameter move: Puts the finished part in its place.
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
    // A power failure that comes before this is done costs a kept answer at worst.
    try? FileDescriptor(reading: path).sync()
  }

  private func part(of name: String) throws(FileError) -> FileDescriptor {
    for _ in 0..<100 {
      let name = AnswerFileName.part(of: name, number: .random(in: 0...(.max)))
      let part = try FileDescriptor(private: file(name))
      // Who sweeps may be quicker, and take it for a dead writer's.
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
