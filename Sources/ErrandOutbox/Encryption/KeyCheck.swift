import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A small encrypted file, `key-check`, that says at launch whether the key is the one that the outbox is
/// encrypted with. It is made when an outbox is first opened with a key. All methods block.
struct KeyCheck {
  private static let text = Data("errand".utf8)

  private let path: String
  private let seal: ContentSeal
  private let folder: ContentFolder

  init(in outbox: URL, seal: ContentSeal, folder: ContentFolder) {
    path = outbox.appending(path: "key-check").path
    self.seal = ContentSeal(seal.key)
    self.folder = folder
  }

  /// True if the outbox is encrypted, with whichever key.
  var isThere: Bool { access(path, F_OK) == 0 }

  /// Checks the key, and makes the file if it is missing and there is a key.
  /// - Throws: `.wrongKey` if the outbox is encrypted with another key, or if it is encrypted and there is no
  ///   key; `.damaged`; `.notWritable`, `.diskFull`.
  func pass() throws {
    if let known = try known() { return try compare(known) }
    guard seal.key != nil else { return }
    try folder.make()
    try place(seal.wrap(Self.text, as: .keyCheck))
    guard let known = try known() else {
      throw OutboxError.unwritable(FileError(.read, path, "it was removed at once"))
    }
    // Another process, with another key, may have made the file first.
    try compare(known)
  }

  private func known() throws -> Data? {
    do {
      return try FileDescriptor(reading: path).read(4096, at: 0)
    } catch let error as FileError {
      if error.systemCode == ENOENT || error.systemCode == ENOTDIR { return nil }
      throw OutboxError(.failed, "the key of the outbox cannot be checked: \(error)")
    }
  }

  private func compare(_ known: Data) throws(OutboxError) {
    do throws(OutboxError) {
      let text = try seal.unwrap(known, as: .keyCheck)
      guard text == Self.text else { throw ContentSeal.damaged(.keyCheck) }
    } catch {
      switch error.code {
      case .wrongKey:
        throw OutboxError(
          .wrongKey,
          seal.key == nil
            ? "the outbox is sealed (\(path)) and was given no key; open it with the key it had"
            : "the outbox is sealed with another key (\(path)); open it with the key it had")
      default:
        throw OutboxError(
          .damaged, "\(path) is damaged; if the key is certainly right, remove that file and open again")
      }
    }
  }

  /// Makes the file. If two processes do that at once, the first one wins.
  private func place(_ data: Data) throws {
    let hold = try ContentHold(in: folder.path)
    let writer = ContentWriter(folder: folder.path, seal: seal, hold: hold) { false }
    let part = try writer.newPart(hold.newNumber())
    defer {
      FileDescriptor.remove(part.path)
      withExtendedLifetime(hold) {}
    }
    do {
      try part.write(data, at: 0)
      try part.flush()
      if link(part.path, path) != 0, errno != EEXIST {
        // Not every file system has hard links.
        try FileDescriptor.move(part.path, to: path)
      }
      try FileDescriptor.flushFolder(URL(filePath: path).deletingLastPathComponent().path)
    } catch let error as FileError {
      throw OutboxError.unwritable(error)
    }
  }
}
