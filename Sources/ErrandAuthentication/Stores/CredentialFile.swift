import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A credential in a file that only this user can read, and that several processes may share: each refresh is made
/// by one of them. A second file beside it, with `.lock` at its end, is locked meanwhile.
///
/// The file is replaced as a whole, so a symbolic link is refused. A file that Errand did not write is neither read nor
/// replaced. The credential is not encrypted. On Apple's platforms, `KeychainCredentialStore` keeps it safer.
public struct CredentialFile: CredentialStore {
  /// A credential is short; what is longer is not one.
  private static let longest = 1 << 20
  /// The first line of each file, which tells it from those of other programs.
  private static let head = Data("{\"errand\":\"credential\",\"version\":1}\n".utf8)

  private let file: ReplacedFile

  /// - Parameter url: The file. Its folder must exist.
  public init(at url: URL) {
    file = ReplacedFile(path: url.path, lockPath: url.path + ".lock")
  }

  /// - Throws: `FileError`, if there is a file that cannot be read, or that Errand did not write.
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
      let data = try opened.read(Self.longest, at: 0)
      guard Self.isOwn(data) else { throw Self.foreign(file.path) }
      return data.starts(with: Self.head) ? Data(data.dropFirst(Self.head.count)) : data
    }.value()
  }

  public func version() -> String? { file.version }

  /// - Throws: `FileError`, if the file cannot be written, or Errand did not write the one that is there.
  public func write(_ data: Data) async throws {
    // Waited for even if the task is cancelled: the lock must not be released while the file is written.
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

  /// The members that the first version wrote, which had no line before the credential.
  private struct Unmarked: Decodable {
    let revision: Double
    let identity: String
  }

  private static func isOwn(_ data: Data) -> Bool {
    if data.isEmpty || data.starts(with: head) { return true }
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
    FileError(.open, path, "it was not written by Errand, so it stays as it is; choose another file")
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
