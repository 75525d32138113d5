#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The first bytes of a cached response's file. The head follows, and then the body to the end of the file.
///
/// | bytes | |
/// |---|---|
/// | 8 | `ERRANDKA` |
/// | 4 | version |
/// | 4 | length of the head |
/// | 8 | length of the body |
/// | 32 | SHA-256 of the body |
/// | 32 | SHA-256 of all of the above and the head |
///
/// Numbers are little-endian. Every byte of the file is covered by a digest, and the head can be verified
/// without the body.
struct CacheFilePrefix: Sendable, Hashable {
  static let length = 88
  static let version: UInt32 = 1
  private static let magic = Data("ERRANDKA".utf8)

  let headLength: Int
  let bodyLength: Int
  private let bodyDigest: [UInt8]
  private let headDigest: [UInt8]

  init(head: Data, body: Data) {
    headLength = head.count
    bodyLength = body.count
    bodyDigest = SHA256Digest(hashing: body).bytes
    headDigest = Self.digest(Self.opening(head.count, body.count, bodyDigest), head)
  }

  /// - Throws: The fault, if these are not the first bytes of a cached response's file.
  init(_ bytes: Data) throws(CacheFileFault) {
    let bytes = [UInt8](bytes)
    guard bytes.starts(with: Self.magic) else { throw bytes.count < Self.length ? .damaged : .foreign }
    guard bytes.count >= 12 else { throw .damaged }
    let version = UInt32(truncatingIfNeeded: Self.number(bytes[8..<12]))
    guard version == Self.version else { throw .otherVersion(version) }
    guard bytes.count == Self.length, let headLength = Int(exactly: Self.number(bytes[12..<16])),
      let bodyLength = Int(exactly: Self.number(bytes[16..<24]))
    else { throw .damaged }
    self.headLength = headLength
    self.bodyLength = bodyLength
    bodyDigest = Array(bytes[24..<56])
    headDigest = Array(bytes[56..<88])
  }

  var bytes: Data { Self.opening(headLength, bodyLength, bodyDigest) + headDigest }

  /// Returns true if a file of this length can be complete.
  func fits(_ fileLength: Int64) -> Bool {
    let (sum, isTooLong) = Int64(bodyLength).addingReportingOverflow(Int64(Self.length) + Int64(headLength))
    return !isTooLong && sum == fileLength
  }

  func matches(head: Data) -> Bool {
    Self.digest(Self.opening(headLength, bodyLength, bodyDigest), head) == headDigest
  }

  func matches(body: Data) -> Bool { SHA256Digest(hashing: body).bytes == bodyDigest }

  private static func digest(_ opening: Data, _ head: Data) -> [UInt8] {
    var hash = SHA256()
    hash.update(opening)
    hash.update(head)
    return hash.finalize().bytes
  }

  private static func opening(_ head: Int, _ body: Int, _ bodyDigest: [UInt8]) -> Data {
    magic + number(UInt64(version), 4) + number(UInt64(head), 4) + number(UInt64(body), 8) + bodyDigest
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func number(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }
}
