import Dispatch
import ErrandCore
import ErrandCrypto

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The folder in which the records of uploads are kept, one file each.
struct UploadFolder: Sendable {
  private let path: String
  private let folder: String

  /// - Parameter target: The digest of the upload's method and URL.
  init(_ folder: URL, _ target: String, _ source: UploadSource) {
    self.folder = folder.path
    let name = "\(SHA256Digest(hashing: Data("\(target) \(source.key)".utf8)))"
    path = "\(folder.path)/\(name.prefix(32)).upload"
  }

  /// The largest record that is read.
  private static let limit: Int64 = 256 << 10

  private static let queue = DispatchQueue(label: "errand.uploads")

  /// Returns the record; nil if there is none, or it cannot be parsed.
  func read() async throws -> UploadRecord? {
    try await Self.onQueue {
      try attributed { () throws(FileError) in
        let file: FileDescriptor
        do throws(FileError) { file = try FileDescriptor(reading: path) } catch {
          if error.isMissing { return nil }
          throw error
        }
        try file.checkIsOwn()
        let length = try file.length()
        guard length <= Self.limit, let data = try? file.read(Int(length), at: 0) else { return nil }
        return try? JSONDecoder().decode(UploadRecord.self, from: data)
      }
    }
  }

  /// Creates the folder, so that a failure shows before anything is sent.
  func create() async throws {
    try await Self.onQueue { [folder] in
      do { try FileDescriptor.makeFolders(folder) } catch { throw Self.unwritable(error) }
    }
  }

  /// Replaces the record, and returns when it survives a crash of the system; nil removes it.
  func write(_ record: UploadRecord?) async throws {
    try await Self.onQueue {
      guard let record else { return FileDescriptor.remove(path) }
      let data = try JSONEncoder().encode(record)
      let file = ReplacedFile(path: path, lockPath: path + ".lock")
      do {
        _ = try file.replace(with: data, after: file.status, permissions: 0o600)
        try file.syncFolder()
      } catch {
        throw Self.unwritable(error)
      }
    }
  }

  private func attributed<Value>(_ work: () throws(FileError) -> Value) throws(RequestError) -> Value {
    do { return try work() } catch { throw Self.unwritable(error) }
  }

  private static func unwritable(_ error: any Error) -> RequestError {
    RequestError(
      .fileUnwritable, message: "the URL of the upload cannot be kept: \(error)", reachedServer: false,
      underlying: error)
  }

  private static func onQueue<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws
    -> Value
  {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try work() }) }
    }
  }
}
