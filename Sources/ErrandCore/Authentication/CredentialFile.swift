#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A credential in a file that only this user can read, and that several processes may share: each refresh is made
/// by one of them. A second file beside it, with `.lock` at its end, is locked meanwhile.
///
/// The file is replaced as a whole, so a symbolic link is refused. The credential is not encrypted. On Apple's platforms, `KeychainCredentialStore` keeps it safer.
public struct CredentialFile: CredentialStore {
  /// A credential is short; what is longer is not one.
  private static let longest = 1 << 20

  private let file: ReplacedFile

  /// - Parameter url: The file. Its folder must exist.
  public init(at url: URL) {
    file = ReplacedFile(path: url.path, lockPath: url.path + ".lock")
  }

  /// - Throws: `FileError`, if there is a file that cannot be read.
  public func read() async throws -> Data? {
    try await start { file in
      guard let opened = try file.opened() else { return nil }
      guard try opened.status().permissions & 0o077 == 0 else {
        throw FileError(
          .read, file.path,
          "other users may read or change it: take that from them (chmod 600), and sign in anew")
      }
      guard try opened.length() <= Self.longest else {
        throw FileError(.read, file.path, "it is too long for a credential")
      }
      return try opened.read(Self.longest, at: 0)
    }.value()
  }

  public func version() -> String? { file.version }

  public func write(_ data: Data) async throws {
    // Waited for even if the task is cancelled: the lock must not be released while the file is written.
    try await start { file in
      _ = try file.replace(with: data, after: file.status)
      try file.syncFolder()
    }.settled().get()
  }

  public func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
    let lock = try await CredentialWork.lock(file)
    defer { lock.unlock() }
    return try await body()
  }

  private func start<Value: Sendable>(
    _ work: @escaping @Sendable (ReplacedFile) throws -> Value
  ) throws -> Promise<Value> {
    try CredentialWork.start(file.path) { [file] in try work(file) }
  }
}
