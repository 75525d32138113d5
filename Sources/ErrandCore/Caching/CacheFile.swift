#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A cached response's file, open for reading; its head has been checked. Its bytes do not change while it is
/// read: a newer response replaces the name, not the bytes.
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

  /// - Throws: As `init`.
  func response() throws -> CachedResponse {
    let body = try file.read(prefix.bodyLength, at: Int64(CacheFilePrefix.length + prefix.headLength))
    guard prefix.matches(body: body) else { throw CacheFileFault.damaged }
    return try head.response(with: body)
  }

  /// Returns everything that precedes the body.
  static func start(of response: CachedResponse, under key: CacheKey) throws -> Data {
    let head = try JSONEncoder().encode(CacheFileHead(response, under: key))
    return CacheFilePrefix(head: head, body: response.data).bytes + head
  }
}
