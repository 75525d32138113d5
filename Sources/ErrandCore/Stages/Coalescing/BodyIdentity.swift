import ErrandHashing

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

/// The identity of a body: bodies with equal identities are the same.
enum BodyIdentity: Sendable, Hashable {
  /// A part of a form; the boundary is left out, because it is random.
  struct Part: Sendable, Hashable {
    let head: ExactBytes
    let content: BodyIdentity
  }

  case none
  case bytes(ExactBytes)
  case digest(BodyDigest)
  case file(FileIdentity)
  case parts([Part])
  case source(BodySource)

  /// The largest body, in bytes, that is compared itself. A larger one is represented by its digest.
  private static let largestKept = 4096

  static func data(_ data: Data) -> BodyIdentity {
    data.count > largestKept ? .digest(BodyDigest(data)) : .bytes(ExactBytes(data))
  }
}

/// The digest of a body that is too large for a key to keep alive.
struct BodyDigest: Sendable, Hashable {
  private let digest: SHA256Digest

  init(_ data: Data) { digest = SHA256Digest(hashing: data) }
}

/// Identifies a file's content without reading it.
struct FileIdentity: Sendable, Hashable {
  private let path: String
  private let stamp: FileStamp

  init(_ path: String) throws(FileError) {
    var info = stat()
    guard unsafe stat(path, &info) == 0 else { throw FileError(.read, path) }
    self.path = path
    stamp = FileStamp(info)
  }
}
