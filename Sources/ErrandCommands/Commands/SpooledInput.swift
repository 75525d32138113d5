import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Standard input that is too long for memory is put into a file, because a stream cannot be stored.
final class SpooledInput: Sendable {
  private let folder = Locked<URL?>(nil)

  init() {}

  /// All of it.
  func body(contentType: String) async throws -> Body {
    let (first, rest) = try await StandardInput.beginning()
    guard let rest else { return .bytes(first, contentType: contentType) }
    let folder = FileManager.default.temporaryDirectory.appending(path: "errand-\(UUID().uuidString)")
    // Foundation would make it for everybody, and close it after that.
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

  /// To be called when it is stored, or not wanted any more.
  func remove() {
    guard let folder = folder.withLock({ $0 }) else { return }
    try? FileManager.default.removeItem(at: folder)
  }
}
