#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A credential in a file that only this user can read, and that several processes may share: each refresh is made
/// by one of them. A second file beside it, with `.lock` at its end, is locked meanwhile.
///
/// The credential is not encrypted. On Apple's platforms a keychain keeps it safer.
public struct CredentialFile: CredentialStore {
  /// A credential is short; what is longer is not one.
  private static let longest = 1 << 20

  private let path: String
  private let folder: String

  /// - Parameter url: The file. Its folder must exist.
  public init(at url: URL) {
    path = url.path
    folder = url.deletingLastPathComponent().path
  }

  /// - Throws: `FileError`, if there is a file that cannot be read.
  public func read() async throws -> Data? {
    try await blocking { [path] in
      guard FileDescriptor.status(of: path) != nil else { return nil }
      let file = try FileDescriptor(reading: path)
      try file.checkIsOwn()
      guard try file.length() <= Self.longest else {
        throw FileError(.read, path, "it is too long for a credential")
      }
      return try file.read(Self.longest, at: 0)
    }
  }

  public func write(_ data: Data) async throws {
    try await blocking { [path, folder] in
      let draft = "\(path).\(UUID().uuidString).part"
      do {
        let file = try FileDescriptor(private: draft)
        try file.write(data, at: 0)
        try file.sync()
        try FileDescriptor.move(draft, to: path)
      } catch {
        FileDescriptor.remove(draft)
        throw error
      }
      try FileDescriptor(reading: folder).sync()
    }
  }

  public func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
    // Closed, and unlocked, when the last reference is gone.
    let lock = try await blocking { [path] in
      let file = try FileDescriptor(writing: "\(path).lock")
      try file.waitForLock()
      return file
    }
    defer { lock.unlock() }
    return try await body()
  }

  /// Runs work that blocks on a thread of its own.
  private func blocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value
  {
    let promise = Promise<Value>()
    let hasStarted = SystemThread.start { promise.settle(Result(catching: work)) }
    guard hasStarted else { throw FileError(.open, path, "the system has no thread for it") }
    return try await promise.value()
  }
}
