#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An exported request, without the bytes of its body.
struct ExportedHead: Sendable, Hashable, Codable {
  static let version = 1

  /// A piece of the body, whose bytes follow in lines of their own: their number, and whether they were
  /// stored in a file.
  enum Segment: Sendable, Hashable {
    case bytes(Int64)
    case file(Int64)

    var length: Int64 {
      switch self {
      case .bytes(let length), .file(let length): length
      }
    }
  }

  var version = Self.version
  var id: String
  var lane: String?
  /// The name of the priority.
  var priority: String
  /// ISO 8601, like all times.
  var created: String
  var expires: String?
  var state: String
  /// Why the last attempt failed, or why the request was moved to the dead letters.
  var reason: String?
  var method: String
  var url: String
  /// Names and values of the header fields, in order.
  var fields: [[String]]
  var idempotencyKey: String
  var contentType: String?
  /// The kind of body.
  var body: StoredBody.Kind
  var segments: [Segment]
  /// The options that were set; nil if none were.
  var options: StoredOptions?

  enum CodingKeys: String, CodingKey {
    case version = "errand-outbox"
    case id, lane, priority, created, expires, state, reason, method, url, fields, idempotencyKey, contentType
    case body, segments, options
  }

  /// The number of bytes of the body.
  var length: Int64 { segments.reduce(0) { $0 + $1.length } }
}

extension ExportedHead.Segment: Codable {
  private enum Key: String, CodingKey {
    case bytes, file
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .bytes(let length): try container.encode(length, forKey: .bytes)
    case .file(let length): try container.encode(length, forKey: .file)
    }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    if let length = try container.decodeIfPresent(Int64.self, forKey: .bytes) {
      self = .bytes(length)
    } else {
      self = .file(try container.decode(Int64.self, forKey: .file))
    }
  }
}
