import ErrandHashing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension CacheFolder {
  private static let saltLength = 32

  /// Returns the folder's salt, which is made once. It is read from disk each time, because the system may
  /// have emptied the folder, and another process may have made a new salt.
  func salt() throws -> Data {
    if let salt = try knownSalt() { return salt }
    var random = SystemRandomNumberGenerator()
    let salt = Data((0..<Self.saltLength).map { _ in UInt8.random(in: 0...(.max), using: &random) })
    try place(as: CacheFileName.salt) { part in
      try part.write(salt + SHA256Digest(hashing: salt).bytes, at: 0)
    } move: { part throws(FileError) in
      try putInPlace(part)
    }
    guard let made = try knownSalt() else {
      throw FileError(.read, file(CacheFileName.salt), "it was removed as soon as it was written")
    }
    return made
  }

  /// Returns the stored salt; nil if the file is missing. An empty file in its place is removed and reported.
  /// - Throws: `FileError`, if the file has other content, because a damaged salt looks like another
  ///   program's file.
  private func knownSalt() throws -> Data? {
    let path = file(CacheFileName.salt)
    let bytes: Data
    do {
      let file = try FileDescriptor(reading: path)
      bytes = try file.read(Self.saltLength + SHA256Digest.byteCount + 1, at: 0)
    } catch let error as FileError where error.isMissing {
      return nil
    }
    let salt = Data(bytes.prefix(Self.saltLength))
    if Array(bytes.dropFirst(Self.saltLength)) == SHA256Digest(hashing: salt).bytes { return salt }
    guard bytes.isEmpty else {
      throw FileError(
        .read, path,
        "a cache did not write it: give the cache a dedicated folder, or remove the file")
    }
    FileDescriptor.remove(path)
    report(CacheFileProblem(path: path, reason: .damaged))
    return nil
  }

  /// Moves the salt into place, unless another process was first.
  private func putInPlace(_ part: String) throws(FileError) {
    let path = file(CacheFileName.salt)
    if unsafe link(part, path) == 0 || errno == EEXIST { return FileDescriptor.remove(part) }
    // Not every file system supports hard links.
    try FileDescriptor.move(part, to: path)
  }
}
