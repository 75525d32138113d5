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

  private let file: ReplacedFile

  /// - Parameter url: The file. Its folder must exist.
  public init(at url: URL) {
    file = ReplacedFile(path: url.path, lockPath: url.path + ".lock")
  }

  /// - Throws: `FileError`, if there is a file that cannot be read.
  public func read() async throws -> Data? {
    try await blocking { file in
      guard let opened = try file.opened() else { return nil }
      guard try opened.length() <= Self.longest else {
        throw FileError(.read, file.path, "it is too long for a credential")
      }
      return try opened.read(Self.longest, at: 0)
    }
  }

  public func write(_ data: Data) async throws {
    // Waited for even if the task is cancelled: the lock must not be released while the file is written.
    try await started { file in
      _ = try file.replace(with: data, after: file.status)
      try file.syncFolder()
    }.settled().get()
  }

  public func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
    let lock = try await blocking { try $0.lock() }
    defer { lock.unlock() }
    return try await body()
  }

  /// Runs work that blocks on a thread of its own.
  private func blocking<Value: Sendable>(
    _ work: @escaping @Sendable (ReplacedFile) throws -> Value
  ) async throws -> Value {
    try await started(work).value()
  }

  private func started<Value: Sendable>(
    _ work: @escaping @Sendable (ReplacedFile) throws -> Value
  ) throws -> Promise<Value> {
    let promise = Promise<Value>()
    let hasStarted = SystemThread.start { [file] in promise.settle(Result { try work(file) }) }
    guard hasStarted else { throw FileError(.open, file.path, "the system has no thread for it") }
    return promise
  }
}
