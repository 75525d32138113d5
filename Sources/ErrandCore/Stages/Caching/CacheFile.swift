#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A cached response's file, open for reading, with a checked head. Its body does not change while it is read:
/// a newer response replaces the name, not the bytes. Only renewals are added at the end.
struct CacheFile: Sendable {
  let file: FileDescriptor
  let head: CacheFileHead
  let key: CacheKey
  let length: Int64
  /// True if another renewal may follow the last bytes.
  private let mayGrow: Bool
  private let prefix: CacheFilePrefix
  /// The body, if the file is so small that it was read at once.
  private let smallBody: Data?
  /// The bytes that are read at once.
  private static let startLength = 64 << 10

  /// - Throws: `FileError` if the file cannot be read, `CacheFileFault` if it is not a cached response.
  init(_ file: FileDescriptor) throws {
    self.file = file
    length = try file.length()
    let start = try file.read(Int(min(length, Int64(Self.startLength))), at: 0)
    prefix = try CacheFilePrefix(start.prefix(CacheFilePrefix.length))
    guard prefix.fits(length) else { throw CacheFileFault.damaged }
    let headEnd = Int(prefix.bodyStart)
    let bytes =
      headEnd <= start.count
      ? start[CacheFilePrefix.length..<headEnd]
      : try file.read(prefix.headLength, at: Int64(CacheFilePrefix.length))
    guard prefix.matches(head: bytes), let head = CacheFileHead(bytes) else { throw CacheFileFault.damaged }
    key = try head.key()
    let bodyEnd = prefix.bodyEnd
    guard length > bodyEnd else {
      // Copied, because the indices of a slice do not begin at 0.
      smallBody = length == Int64(start.count) ? Data(start[headEnd...]) : nil
      self.head = head
      mayGrow = true
      return
    }
    smallBody = nil
    guard length - bodyEnd <= Int64(CacheFileRenewal.mostBytes) else { throw CacheFileFault.damaged }
    let renewal = try CacheFileRenewal.last(in: try file.read(Int(length - bodyEnd), at: bodyEnd))
    mayGrow = bodyEnd + Int64(renewal.end) == length
    guard let newer = renewal.head else {
      self.head = head
      return
    }
    guard let newer = CacheFileHead(newer), try newer.key() == key else { throw CacheFileFault.damaged }
    self.head = newer
  }

  var bodyLength: Int64 { prefix.bodyLength }

  /// Returns true if a body is the whole body in this file.
  func holds(_ body: CachedBody) -> Bool {
    guard let place = body.placeInFile else { return false }
    return place.file === file && place.start == prefix.bodyStart && body.count == prefix.bodyLength
  }

  /// Returns the bytes of a renewal; nil if the file must be written again.
  func renewal(_ head: Data) -> Data? {
    let bytes = CacheFileRenewal.bytes(of: head)
    let size = length + Int64(bytes.count) - prefix.bodyEnd
    return mayGrow && size <= Int64(CacheFileRenewal.mostBytes) ? bytes : nil
  }

  /// The most bytes of a body that are read at once; a larger one stays in the file.
  static let memoryLimit = 1 << 20

  /// Returns the response, whose body has been verified.
  /// - Parameter isWhole: True if a large body is read as well.
  /// - Throws: The errors of `init`.
  func response(isWhole: Bool = true) throws -> CachedResponse {
    let region = CachedBody(file, start: prefix.bodyStart, count: prefix.bodyLength)
    if isWhole || prefix.bodyLength <= Self.memoryLimit {
      let body = try smallBody ?? region.loaded()
      guard prefix.matches(body: Checksum(of: body)) else { throw CacheFileFault.damaged }
      return try head.response(with: CachedBody(body))
    }
    var checksum = Checksum()
    try region.forEachPiece { checksum.update($0) }
    guard prefix.matches(body: checksum) else { throw CacheFileFault.damaged }
    return try head.response(with: region)
  }
}

/// The first bytes of a cached response's file. The head follows, then the body, and then the renewals.
///
/// | bytes | |
/// |---|---|
/// | 8 | `ERRANDKA` |
/// | 4 | version |
/// | 4 | length of the head |
/// | 8 | length of the body |
/// | 4 | CRC-32 of the body |
/// | 4 | CRC-32 of all bytes above and the head |
///
/// Numbers are little-endian. Every byte of the file is covered by a checksum, and the head can be verified
/// without the body.
struct CacheFilePrefix: Sendable, Hashable {
  static let length = 32
  static let version: UInt32 = 3
  private static let magic = Data("ERRANDKA".utf8)

  let headLength: Int
  let bodyLength: Int64
  private let bodyChecksum: UInt32
  private let headChecksum: UInt32

  init(head: Data, bodyLength: Int64, body: Checksum) {
    headLength = head.count
    self.bodyLength = bodyLength
    bodyChecksum = body.value
    headChecksum = Checksum(of: Self.opening(head.count, bodyLength, body.value), head).value
  }

  /// Returns true if these may be the first bytes of a cache's file, even of a damaged one: at least half of the magic
  /// number's bytes that are present are right.
  static func isOwn(_ bytes: Data, magic: Data = magic) -> Bool {
    let start = bytes.prefix(magic.count)
    return zip(start, magic).count { $0 == $1 } * 2 >= start.count
  }

  /// - Throws: The fault, if these are not the first bytes of a cached response's file.
  init(_ bytes: Data) throws(CacheFileFault) {
    guard Self.isOwn(bytes) else { throw .foreign }
    let bytes = [UInt8](bytes)
    guard bytes.starts(with: Self.magic) else { throw .damaged }
    guard bytes.count >= 12 else { throw .damaged }
    let version = UInt32(truncatingIfNeeded: Self.number(bytes[8..<12]))
    guard version == Self.version else { throw .otherVersion(version) }
    guard bytes.count == Self.length, let headLength = Int(exactly: Self.number(bytes[12..<16])),
      let bodyLength = Int64(exactly: Self.number(bytes[16..<24]))
    else { throw .damaged }
    self.headLength = headLength
    self.bodyLength = bodyLength
    bodyChecksum = UInt32(truncatingIfNeeded: Self.number(bytes[24..<28]))
    headChecksum = UInt32(truncatingIfNeeded: Self.number(bytes[28..<32]))
  }

  var bytes: Data {
    Self.opening(headLength, bodyLength, bodyChecksum) + Self.number(UInt64(headChecksum), 4)
  }

  var bodyStart: Int64 { Int64(Self.length + headLength) }
  /// Where the body ends. It cannot overflow in a prefix that fits its file.
  var bodyEnd: Int64 { bodyStart + bodyLength }

  /// Returns true if a file of this length can be complete.
  func fits(_ fileLength: Int64) -> Bool {
    let (sum, isTooLong) = bodyLength.addingReportingOverflow(bodyStart)
    return !isTooLong && sum <= fileLength
  }

  func matches(head: Data) -> Bool {
    Checksum(of: Self.opening(headLength, bodyLength, bodyChecksum), head).value == headChecksum
  }

  func matches(body: Checksum) -> Bool { body.value == bodyChecksum }

  private static func opening(_ head: Int, _ body: Int64, _ bodyChecksum: UInt32) -> Data {
    magic + number(UInt64(version), 4) + number(UInt64(head), 4) + number(UInt64(body), 8)
      + number(UInt64(bodyChecksum), 4)
  }

  static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  static func number(_ value: UInt64, _ count: Int) -> [UInt8] {
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
