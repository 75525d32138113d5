#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The facts that continue an upload, also in another process. They are stored before the bytes that follow go out.
/// `resource` may be a secret, because its URL is enough to write to the upload.
package struct UploadRecord: Codable, Sendable, Hashable {
  /// The state of the content that is uploaded, by which a changed file is noticed. `stamp` is any text that differs for
  /// different contents.
  package struct Identity: Codable, Sendable, Hashable {
    package var size: Int64
    package var stamp: String

    package init(size: Int64, stamp: String) {
      self.size = size
      self.stamp = stamp
    }
  }

  /// A digest of the method and the URL of the request that created the upload.
  package var target: String
  package var identity: Identity
  /// The URL of the upload on the server, absolute.
  package var resource: String
  package var dialect: UploadDialect
  /// The number of bytes that the server has confirmed.
  package var confirmed: Int64
  /// True if all bytes may have arrived, so that the upload may be complete.
  package var mayBeComplete: Bool
  var limits: UploadLimits
  /// The time at which the server removes the upload; nil if it is not known.
  package var expires: Date?
  /// The largest request that passed, after one was too large for the server or a proxy.
  var pieceLimit: Int64?
  /// The SHA-256 of the content, if the upload is verified.
  package var digest: Data?
}
