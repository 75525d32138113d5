import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes standard input to a file if it is too long for memory, because a stream cannot be stored.
final class SpooledInput: Sendable {
  private let folder = Locked<URL?>(nil)

  init() {}

  /// Reads standard input to its end, and returns it as a body.
  func body(contentType: String) async throws -> Body {
    let (first, rest) = try await StandardInput.beginning()
    guard let rest else { return .bytes(first, contentType: contentType) }
    let folder = FileManager.default.temporaryDirectory.appending(path: "errand-\(UUID().uuidString)")
    // Foundation would create the folder with permissions for all users, and restrict them afterwards.
    try FileDescriptor.makeFolder(folder.path)
    self.folder.withLock { $0 = folder }
    let path = folder.appending(path: "body").path
    let file = try FileDescriptor(writing: path)
    var length: Int64 = 0
    for try await chunk in rest {
      try file.write(chunk, at: length)
      length += Int64(chunk.count)
    }
    return .file(URL(filePath: path), contentType: contentType)
  }

  /// Removes the file. Call this once the request is stored, or not needed any more.
  func remove() {
    guard let folder = folder.withLock({ $0 }) else { return }
    try? FileManager.default.removeItem(at: folder)
  }
}
