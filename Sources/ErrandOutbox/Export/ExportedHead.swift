#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A request as it is exported, without the bytes of its body.
struct ExportedHead: Sendable, Hashable, Codable {
  static let version = 1

  /// A piece of the body, which follows in lines of its own: how many bytes, and how they are kept.
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
  /// Its name.
  var priority: String
  /// ISO 8601, as all times.
  var created: String
  var expires: String?
  var state: String
  /// Why its last try failed, or why it was set aside.
  var reason: String?
  var method: String
  var url: String
  /// Names and values, in order.
  var fields: [[String]]
  var idempotencyKey: String
  var contentType: String?
  /// The kind of body.
  var body: StoredBody.Kind
  var segments: [Segment]
  /// Those that were set.
  var options: StoredOptions?

  enum CodingKeys: String, CodingKey {
    case version = "errand-outbox"
    case id, lane, priority, created, expires, state, reason, method, url, fields, idempotencyKey, contentType
    case body, segments, options
  }

  /// The bytes of the body.
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
