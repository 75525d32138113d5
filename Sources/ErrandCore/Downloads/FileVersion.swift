import ErrandCrypto

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The version of a downloaded file, in a hidden file beside it. By it, a later download asks only for a newer version.
struct FileVersion: Codable, Sendable, Hashable {
  /// A digest of the URL and the credentials that the file came with.
  let source: String
  let entityTag: String?
  let lastModified: String?
  /// The file's state after the download. A file that was changed since is downloaded again.
  private let size: Int64
  private let modified: Double

  /// Creates the version of a file that was just downloaded; nil if the server named none.
  init?(_ response: Response, source: String, file: URL) {
    entityTag = response.fields["ETag"]
    lastModified = response.fields["Last-Modified"].flatMap { HTTPDate.parse($0) == nil ? nil : $0 }
    guard response.status == 200, entityTag != nil || lastModified != nil,
      let status = FileDescriptor.status(of: file.path)
    else { return nil }
    self.source = source
    size = Int64(status.size)
    modified = status.modified.timeIntervalSinceReferenceDate
  }

  private static func path(beside file: URL) -> String {
    "\(file.deletingLastPathComponent().path)/.\(Draft.shortened(file.lastPathComponent)).errand-version"
  }

  /// Returns a digest of a request's URL and credentials, by which a file of another user is not taken for this one's.
  /// - Parameter identity: The identity that the request is sent for.
  static func source(of request: Request, identity: String?, secrets: Secrets) -> String {
    let credentials = CachePartition.parts(
      of: request.fields, method: nil, url: nil, user: identity, secrets: secrets
    ) { secrets.covers($0) }
    return "\(SHA256Digest(hashing: Data(([request.urlText] + credentials).asOneText.utf8)))"
  }

  /// Returns the version of a file that has not changed since its download from this source; nil if it is not known.
  static func of(_ file: URL, from source: String) -> FileVersion? {
    guard let version: FileVersion = Memo.read(path(beside: file)),
      let status = FileDescriptor.status(of: file.path), status.isRegular,
      version.source == source, version.size == Int64(status.size),
      version.modified == status.modified.timeIntervalSinceReferenceDate
    else { return nil }
    return version
  }

  /// Writes the version beside its file. A failure is ignored: the next download then asks for the whole file.
  func write(beside file: URL) { Memo.write(self, to: Self.path(beside: file)) }

  /// Returns the request with the condition that there is a newer version.
  func ifChanged(_ request: Request) -> Request {
    var request = request
    if let entityTag { request.fields.set("If-None-Match", entityTag) }
    if let lastModified { request.fields.set("If-Modified-Since", lastModified) }
    return request
  }
}
