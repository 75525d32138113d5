#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Whether and how an upload can be resumed after an interruption. See `Client.upload(_:to:resuming:in:progress:)`.
public struct UploadResumption: Sendable {
  enum Choice: String, Sendable, Hashable {
    case automatic
    case ietf
    case tus
    case never
  }

  let choice: Choice

  /// The folder in which the upload's URL is kept, so that another launch of the program continues the upload; nil to
  /// resume only within the call. The folder is created if it is missing. Its files are readable for this user only.
  /// Default: nil.
  public var folder: URL?

  /// The most bytes of one request, for servers and proxies that refuse larger ones; nil for one request with all bytes.
  /// A server's own limit also counts. Default: nil.
  public var maxRequestSize: Int64?

  /// True to let the server check the content by its SHA-256, which is computed before the upload begins: in
  /// `Repr-Digest` (RFC 9530), or with tus in `Upload-Checksum` of each request, whose size is then at most 16 MiB.
  /// Default: false.
  public var isVerified = false

  /// True to remove from the server what has arrived, when the upload is cancelled. Default: false, the server keeps it
  /// for another attempt.
  public var isRemovedWhenCancelled = false

  private init(_ choice: Choice) { self.choice = choice }

  /// Resumes if the server says that it can, in the one request that is sent without resumption, too. A server without
  /// support ignores the additional header fields.
  ///
  /// A POST also offers tus 1.0, and its body waits for the server's `100 Continue` for at most a second.
  public static let automatic = UploadResumption(.automatic)

  /// Resumes by the IETF's Resumable Uploads for HTTP, which the server is known to support. A request that is too large
  /// for a proxy is divided.
  public static let ietf = UploadResumption(.ietf)

  /// Resumes by tus 1.0, which the server is known to support. The upload is created with a POST.
  public static let tus = UploadResumption(.tus)

  /// Sends one request, which is attempted again as its retry policy says.
  public static let never = UploadResumption(.never)

  /// Returns the resumption with a folder in which the upload's URL is kept.
  public func kept(in folder: URL) -> UploadResumption {
    var copy = self
    copy.folder = folder
    return copy
  }
}

/// For a store that keeps how an upload is resumed.
extension UploadResumption {
  /// The name of the choice of protocols; nil for `never`.
  package var storedChoice: String? { choice == .never ? nil : choice.rawValue }

  /// Creates a resumption of a stored choice; nil if there is no such choice.
  package init?(storedChoice: String) {
    guard let choice = Choice(rawValue: storedChoice) else { return nil }
    self.init(choice)
  }
}
