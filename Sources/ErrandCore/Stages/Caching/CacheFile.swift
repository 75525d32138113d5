import ErrandHashing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A cached response's file, open for reading, with a checked head. Its bytes do not change while it is read:
/// a newer response replaces the name, not the bytes.
struct CacheFile: Sendable {
  let file: FileDescriptor
  let head: CacheFileHead
  let key: CacheKey
  let length: Int64
  private let prefix: CacheFilePrefix

  /// - Throws: `FileError` if the file cannot be read, `CacheFileFault` if it is not a cached response.
  init(_ file: FileDescriptor) throws {
    self.file = file
    length = try file.length()
    prefix = try CacheFilePrefix(file.read(CacheFilePrefix.length, at: 0))
    guard prefix.fits(length) else { throw CacheFileFault.damaged }
    let bytes = try file.read(prefix.headLength, at: Int64(CacheFilePrefix.length))
    guard prefix.matches(head: bytes), let head = try? JSONDecoder().decode(CacheFileHead.self, from: bytes)
    else { throw CacheFileFault.damaged }
    self.head = head
    key = try head.key()
  }

  /// Reads the response.
  /// - Throws: The errors of `init`.
  func response() throws -> CachedResponse {
    let body = try file.read(prefix.bodyLength, at: Int64(CacheFilePrefix.length + prefix.headLength))
    guard prefix.matches(body: body) else { throw CacheFileFault.damaged }
    return try head.response(with: body)
  }

  /// Returns the bytes that precede the body.
  static func start(of response: CachedResponse, under key: CacheKey) throws -> Data {
    let head = try JSONEncoder().encode(CacheFileHead(response, under: key))
    return CacheFilePrefix(head: head, body: response.data).bytes + head
  }
}

/// The contents of a cached response's file except the body.
struct CacheFileHead: Codable, Sendable, Hashable {
  let name: String
  let partition: String
  let status: Int
  let url: String
  /// Seconds since Foundation's reference date. They are read back exactly as they were written.
  let date: Double
  /// Names and values, alternating.
  let fields: [String]
  /// Nil for 0.
  let variant: Int?
  /// Nil for a response that was cached under a name.
  let exchange: CachedExchange?

  init(_ response: CachedResponse, under key: CacheKey) {
    name = key.name
    variant = key.variant == 0 ? nil : key.variant
    exchange = response.exchange
    partition = key.partition.description
    status = response.status.code
    url = response.url.absoluteString
    date = response.date.timeIntervalSinceReferenceDate
    fields = response.fields.flatMap { [$0.name, $0.value] }
  }

  func key() throws(CacheFileFault) -> CacheKey {
    guard let partition = CachePartition(partition) else { throw .damaged }
    return CacheKey(name, partition: partition).variant(variant ?? 0)
  }

  func response(with body: Data) throws(CacheFileFault) -> CachedResponse {
    guard let url = URL(string: url), fields.count.isMultiple(of: 2) else { throw .damaged }
    var lines = HTTPFields()
    for index in stride(from: 0, to: fields.count, by: 2) { lines.append(fields[index], fields[index + 1]) }
    var response = CachedResponse(
      status: HTTPStatus(status), fields: lines, data: body, url: url,
      date: Date(timeIntervalSinceReferenceDate: date))
    response.exchange = exchange
    return response
  }
}

/// The first bytes of a cached response's file. The head follows, and then the body to the end of the file.
///
/// | bytes | |
/// |---|---|
/// | 8 | `ERRANDKA` |
/// | 4 | version |
/// | 4 | length of the head |
/// | 8 | length of the body |
/// | 32 | SHA-256 of the body |
/// | 32 | SHA-256 of all bytes above and the head |
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

  /// Returns true if these may be the first bytes of a cached response's file, even of a damaged one: at
  /// least half of the magic number's bytes that are present are right.
  static func isOwn(_ bytes: some Collection<UInt8>) -> Bool {
    let start = bytes.prefix(magic.count)
    return zip(start, magic).count { $0 == $1 } * 2 >= start.count
  }

  /// - Throws: The fault, if these are not the first bytes of a cached response's file.
  init(_ bytes: Data) throws(CacheFileFault) {
    let bytes = [UInt8](bytes)
    guard Self.isOwn(bytes) else { throw .foreign }
    guard bytes.starts(with: Self.magic) else { throw .damaged }
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
    var hash = SHA256Hash()
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

/// A problem that a store on disk has found and handled. No read fails because of it.
public struct CacheFileProblem: Sendable, Hashable, CustomStringConvertible {
  /// The kind of problem.
  public enum Reason: Sendable, Hashable {
    /// The file was cut short, or changed since it was written. It was removed.
    case damaged
    /// The file has the name of a cached response, but other content. It was left in place, and nothing is
    /// cached there.
    case foreign
    /// The file was written by another version, in an unknown format. It was removed.
    case otherVersion(UInt32)
    /// The file could not be read, and was left in place.
    case unreadable(FileError)
    /// The file had to be removed, but could not be.
    case unremovable(FileError)
  }

  /// The path of the file or folder.
  public let path: String
  /// The kind of problem, which implies how the store handled it.
  public let reason: Reason

  /// Creates a problem, for tests of an `onProblem` closure.
  package init(path: String, reason: Reason) {
    self.path = path
    self.reason = reason
  }

  init(path: String, _ fault: CacheFileFault) {
    self.path = path
    reason =
      switch fault {
      case .damaged: .damaged
      case .foreign: .foreign
      case .otherVersion(let version): .otherVersion(version)
      }
  }

  public var description: String {
    switch reason {
    case .damaged: "\(path) is damaged and was removed"
    case .foreign:
      "\(path) is not a cached response and was left as it is; remove it so that the response can be cached"
    case .otherVersion(let version): "\(path) has the unknown version \(version) and was removed"
    case .unreadable(let error): "\(error)"
    case .unremovable(let error): "\(path) could not be removed: \(error)"
    }
  }
}

/// The reason why a file is not a cached response.
enum CacheFileFault: Error, Hashable {
  /// The file was cut short, or changed since it was written.
  case damaged
  /// The file has the name of a cached response, but other content.
  case foreign
  /// The file was written by another version of Errand, in a format that this one does not know.
  case otherVersion(UInt32)
}
