import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A request as it is kept: all that is needed to send it as it would have been sent when it was stored.
struct StoredRequest: Sendable {
  var method: ErrandCore.Method
  /// The URL as text, absolute.
  var url: String
  /// In order, each line by itself.
  var fields: HTTPFields
  var body: StoredBody
  var options: StoredOptions
}

/// A body as it is kept.
struct StoredBody: Sendable, Hashable {
  /// How it was given, because that tells how it is sent: bytes are at hand, all else is read while it is sent.
  enum Kind: String, Sendable, Hashable, Codable {
    case none, bytes, file, multipart

    func canConsist(ofSegments count: Int) -> Bool {
      switch self {
      case .none: count == 0
      case .bytes: count <= 1
      case .file: count == 1
      case .multipart: true
      }
    }
  }

  /// A piece of it, in the order in which it is sent.
  enum Segment: Sendable, Hashable {
    case bytes(Data)
    /// A file in the outbox's folder, and how many bytes of the body it holds.
    case file(name: String, length: Int64)

    var length: Int64 {
      switch self {
      case .bytes(let data): Int64(data.count)
      case .file(_, let length): length
      }
    }
  }

  var kind: Kind
  /// What `Content-Type` says, unless the request has that field.
  var contentType: String?
  var segments: [Segment]

  /// No body is longer, so that sums of lengths never overflow.
  static let longest: Int64 = 1 << 60

  static let none = StoredBody(kind: .none, contentType: nil, segments: [])

  var length: Int64 { segments.reduce(0) { $0 + $1.length } }

  /// The names of its files, in order.
  var files: [String] {
    segments.compactMap { if case .file(let name, _) = $0 { name } else { nil } }
  }
}
