import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Keeps a credential in a file that only this user can read. Several processes may share it: one of them
/// makes each refresh, and meanwhile locks a second file beside it, with `.lock` at its end.
///
/// The file is replaced as a whole, so a symbolic link is refused. A file that Errand did not write is
/// neither read nor replaced. The credential is not encrypted. On Apple's platforms,
/// `KeychainCredentialStore` is safer.
public struct CredentialFile: CredentialStore {
  /// The largest file that is read. A credential is much shorter.
  private static let longest = 1 << 20
  /// The first line of each file, which tells it from other programs' files.
  private static let head = Data("{\"errand\":\"credential\",\"version\":1}\n".utf8)

  /// The length of `{"errand":"credential"`, which no other program's file begins with.
  private static let shortestHead = 22

  private let file: ReplacedFile

  /// Creates a store at a file, which the first sign-in creates.
  /// - Parameter url: The file. Its folder must exist.
  package init(at url: URL) {
    file = ReplacedFile(path: url.path, lockPath: url.path + ".lock")
  }

  /// Returns the stored credential; nil if the file does not exist.
  /// - Throws: `FileError`, if the file cannot be read, or Errand did not write it.
  public func read() async throws -> Data? {
    try await start { file in
      guard let opened = try file.opened() else { return nil }
      guard try opened.status().permissions & 0o077 == 0 else {
        throw FileError(
          .read, file.path,
          "other users may read or change it: restrict it to you (chmod 600), and sign in again")
      }
      guard try opened.length() <= Self.longest else {
        throw FileError(.read, file.path, "it is too long for a credential")
      }
      let data = try opened.read(Self.longest, at: 0)
      guard Self.isOwn(data) else { throw Self.foreign(file.path) }
      return data.starts(with: Self.head) ? Data(data.dropFirst(Self.head.count)) : data
    }.value()
  }

  /// Returns a value that changes when the file is replaced.
  public func version() -> String? { file.version }

  /// Replaces the file.
  /// - Throws: `FileError`, if the file cannot be written, or Errand did not write the existing one.
  public func write(_ data: Data) async throws {
    // The write is awaited even if the task is cancelled: the lock must not be released while the file is
    // written.
    try await start { file in
      if let old = try file.opened() {
        guard try old.length() <= Self.longest, Self.isOwn(try old.read(Self.longest, at: 0)) else {
          throw Self.foreign(file.path)
        }
      }
      _ = try file.replace(with: Self.head + data, after: file.status)
      try file.syncFolder()
    }.settled().get()
  }

  /// The members of a file of the first version, which had no line before the credential.
  private struct Unmarked: Decodable {
    let revision: Double
    let identity: String
  }

  private static func isOwn(_ data: Data) -> Bool {
    if data.isEmpty || data.starts(with: head) { return true }
    // A file that was cut within its first line.
    if data.count >= shortestHead, head.starts(with: data) { return true }
    let members = ["revision", "identity", "isUnnamed", "credential"]
    guard (try? JSONDecoder().decode(Unmarked.self, from: data)) != nil,
      let names = try? JSONDecoder().decode([String: Ignored].self, from: data).keys
    else { return false }
    return names.allSatisfy(members.contains)
  }

  private struct Ignored: Decodable {
    init(from decoder: any Decoder) {}
  }

  private static func foreign(_ path: String) -> FileError {
    FileError(.open, path, "it was not written by Errand: choose another file")
  }

  /// Runs `body` while the file's lock is held. The wait for the lock ends after 40 s, or when the task is
  /// cancelled.
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

extension CredentialStore where Self == CredentialFile {
  /// Keeps the credential in a file that only this user can read.
  /// - Parameter url: The file. Its folder must exist.
  public static func file(_ url: URL) -> CredentialFile { CredentialFile(at: url) }
}
