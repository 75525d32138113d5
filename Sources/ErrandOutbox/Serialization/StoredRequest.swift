import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A request in its stored form: all that is needed to send it as it would have been sent when it was stored.
struct StoredRequest: Sendable {
  var method: ErrandCore.Method
  /// The absolute URL.
  var url: String
  /// The header fields, in order, each line by itself.
  var fields: HTTPFields
  var body: StoredBody
  var options: StoredOptions
}

/// A body in its stored form.
struct StoredBody: Sendable, Hashable {
  /// How the body was given, which decides how it is sent: bytes are in memory, all else is read while it is
  /// sent.
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

  /// A piece of the body, in the order in which it is sent.
  enum Segment: Sendable, Hashable {
    case bytes(Data)
    /// A file in the outbox's folder, and the number of bytes of the body in it.
    case file(name: String, length: Int64)

    var length: Int64 {
      switch self {
      case .bytes(let data): Int64(data.count)
      case .file(_, let length): length
      }
    }
  }

  var kind: Kind
  /// The value of `Content-Type`, unless the request has that header field.
  var contentType: String?
  var segments: [Segment]

  /// The most bytes of a body, so that sums of lengths never overflow.
  static let longest: Int64 = 1 << 60

  static let none = StoredBody(kind: .none, contentType: nil, segments: [])

  var length: Int64 { segments.reduce(0) { $0 + $1.length } }

  /// The names of the body's files, in order.
  var files: [String] {
    segments.compactMap { if case .file(let name, _) = $0 { name } else { nil } }
  }
}
