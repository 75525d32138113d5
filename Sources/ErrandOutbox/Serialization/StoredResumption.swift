import ErrandCore
import ErrandUploads

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The stored form of `OutboxItem.resuming`.
struct StoredResumption: Sendable, Hashable, Codable {
  /// The name of the choice of protocols.
  var choice: String
  var maxRequestSize: Int64?
  var isVerified: Bool?
  /// The name of the file that is uploaded.
  var name: String?

  /// Nil if the upload of the item is not to be resumed.
  init?(of item: OutboxItem) {
    guard let resumption = item.resuming, let choice = resumption.storedChoice else { return nil }
    self.choice = choice
    maxRequestSize = resumption.maxRequestSize
    if resumption.isVerified { isVerified = true }
    name = item.uploadName
    if case .file(let path) = item.request.body.layout {
      name = path.split(separator: "/").last.map(String.init)
    }
  }

  /// The settings of the upload; nil if the values are not valid.
  var resumption: UploadResumption? {
    var resumption = UploadResumption(storedChoice: choice)
    resumption?.maxRequestSize = maxRequestSize
    resumption?.isVerified = isVerified ?? false
    return resumption
  }
}

extension OutboxItem {
  /// The reason why the upload can never be resumed; nil if it can.
  var resumptionProblem: String? {
    guard resuming?.storedChoice != nil else { return nil }
    if request.options.compressesBody {
      return
        "its body is compressed while it is sent, so that an upload cannot be resumed: compress the file, or remove "
        + "resuming"
    }
    if pieces == nil, case .none = request.body.layout {
      return "it has no body to upload: give it one, or remove resuming"
    }
    return nil
  }
}
