import ErrandCore
import ErrandUploads

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How far the upload of a request has come, as the store keeps it.
struct StoredUpload: Sendable, Hashable, Codable {
  /// The number of the attempt that stored this.
  var attempt: Int
  /// The number of bytes to upload.
  var length: Int64
  /// The highest number of bytes that a server has confirmed, in any attempt. An attempt that exceeds it made progress:
  /// since a body is finite, that happens only so often, even if the server loses each upload again.
  var best: Int64 = 0
  /// The upload on the server; nil if there is none.
  var record: UploadRecord?

  /// The progress to show before an attempt of this process reports its own.
  var progress: TransferProgress {
    var progress = TransferProgress(attempt: attempt)
    progress.sent = min(record?.confirmed ?? 0, length)
    progress.sentTotal = length
    return progress
  }
}

extension RequestStorage {
  /// Returns the upload in the form in which it is stored. It is encrypted like the request, because its URL is enough
  /// to write to it.
  func wrapped(_ upload: StoredUpload, of id: OutboxID) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let json = try? encoder.encode(upload) else {
      preconditionFailure("text and numbers can be encoded")
    }
    return wrapped(upload: json, of: id)
  }

  /// Returns the stored upload; nil if it cannot be read, so that a new one is begun.
  func upload(_ wrapped: Data?, of id: OutboxID) -> StoredUpload? {
    guard let wrapped, let json = try? unwrapped(upload: wrapped, of: id) else { return nil }
    return try? JSONDecoder().decode(StoredUpload.self, from: json)
  }
}
