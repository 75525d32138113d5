import ErrandCrypto

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

extension CacheFolder {
  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file atomically: it is complete or missing, even if the process or the machine stops.
  /// - Parameter move: Moves the finished part file into place.
  func place(
    as name: String, write: (FileDescriptor) throws -> Void, move: (String) throws(FileError) -> Void
  ) throws {
    try finish(beginPart(of: name), isFlushed: true, write: write, move: move)
  }

  /// Creates the part file of a file.
  func beginPart(of name: String) throws -> FileDescriptor {
    try make()
    return try part(of: name)
  }

  /// Writes the rest of a part file, and moves it into place.
  /// - Parameter isFlushed: True if the file must survive a power failure. A response need not: its checksums show
  ///   whether it did, and waiting for the disk would cost more than the response is worth.
  func finish(
    _ part: FileDescriptor, isFlushed: Bool, write: (FileDescriptor) throws -> Void,
    move: (String) throws(FileError) -> Void
  ) throws {
    do {
      try write(part)
      if isFlushed { try part.sync() }
      try move(part.path)
    } catch {
      FileDescriptor.remove(part.path)
      throw error
    }
    guard isFlushed else { return }
    try? FileDescriptor(reading: path).sync()
  }

  private func part(of name: String) throws(FileError) -> FileDescriptor {
    for _ in 0..<100 {
      let name = CacheFileName.part(of: name, number: .random(in: 0...(.max)))
      let part = try FileDescriptor(private: file(name))
      // A sweep in another process may take the writer for dead, and claim the file first.
      if part.claim() { return part }
    }
    throw FileError(
      .create, path, "another process removes each new file: choose a folder that only caches use")
  }

  private func make() throws(FileError) {
    do {
      try FileDescriptor.makeFolder(path)
    } catch {
      guard error.isMissing else { throw error }
      let parent = URL(literalPath: path).deletingLastPathComponent()
      try? FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
      try FileDescriptor.makeFolder(path)
    }
  }
}

/// The file names of a store on disk. All other files in the folder are left alone.
enum CacheFileName {
  static let salt = "salt"
  private static let response = ".response"
  private static let outdatedResponse = ".answer"
  private static let part = ".part"

  static func of(_ key: CacheKey) -> String {
    let text = "\(key.name.utf8.count):\(key.name)\(key.partition)"
    return variant(key.variant, of: "\(SHA256Digest(hashing: Data(text.utf8)))" + response)
  }

  /// Returns the name of the response with a number.
  /// - Parameter name: The name of the file with the number 0.
  static func variant(_ number: Int, of name: String) -> String { number == 0 ? name : "\(name)\(number)" }

  /// Returns the name of a file that is still being written; `number` makes it unique.
  static func part(of name: String, number: UInt64) -> String { "\(name).\(number)" + part }

  static func isResponse(_ name: String) -> Bool {
    let number = name.last?.wholeNumberValue ?? 0
    return isDigest(number > 0 ? String(name.dropLast()) : name, withSuffix: response)
      && (number == 0 || CacheKey.variants.contains(number))
  }

  /// True for the name that an earlier version gave a response, which this version does not read.
  static func isOutdated(_ name: String) -> Bool { isDigest(name, withSuffix: outdatedResponse) }

  static func isPart(_ name: String) -> Bool {
    guard name.hasSuffix(part), let dot = name.dropLast(part.utf8.count).lastIndex(of: ".") else {
      return false
    }
    let (whole, number) = (String(name[..<dot]), name[name.index(after: dot)...].dropLast(part.utf8.count))
    return UInt64(number) != nil && (whole == salt || isResponse(whole) || isOutdated(whole))
  }

  private static func isDigest(_ name: String, withSuffix suffix: String) -> Bool {
    let digits = name.utf8.dropLast(suffix.utf8.count)
    return name.hasSuffix(suffix) && digits.count == 2 * SHA256Digest.byteCount
      && digits.allSatisfy { 48...57 ~= $0 || 97...102 ~= $0 }
  }
}

extension CacheFolder {
  private static let saltLength = 32
  private static let saltMagic = Data("ERRANDKS".utf8)

  /// Returns the folder's salt, which is made once. It is read from disk each time, because the system may
  /// have emptied the folder, and another process may have made a new salt.
  func salt() throws -> Data {
    if let salt = try knownSalt() { return salt }
    let salt = Data.random(Self.saltLength)
    try place(as: CacheFileName.salt) { part in
      try part.write(Self.saltMagic + salt + SHA256Digest(hashing: salt).bytes, at: 0)
    } move: { part throws(FileError) in
      try putInPlace(part)
    }
    guard let made = try knownSalt() else {
      throw FileError(.read, file(CacheFileName.salt), "it was removed as soon as it was written")
    }
    return made
  }

  /// Returns the stored salt; nil if the file is missing. A damaged or empty one is removed and reported.
  /// - Throws: `FileError`, if it is another program's file.
  func knownSalt() throws -> Data? {
    let path = file(CacheFileName.salt)
    let bytes: Data
    do {
      let file = try FileDescriptor(reading: path)
      bytes = try file.read(Self.saltMagic.count + Self.saltLength + SHA256Digest.byteCount + 1, at: 0)
    } catch let error as FileError where error.isMissing {
      return nil
    }
    let salt = Data(bytes.dropFirst(Self.saltMagic.count).prefix(Self.saltLength))
    if bytes == Self.saltMagic + salt + SHA256Digest(hashing: salt).bytes { return salt }
    // Earlier versions wrote no magic number.
    let older = bytes.prefix(Self.saltLength)
    let isOlder = Array(bytes.dropFirst(Self.saltLength)) == SHA256Digest(hashing: older).bytes
    guard isOlder || CacheFilePrefix.isOwn(bytes, magic: Self.saltMagic) else {
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
