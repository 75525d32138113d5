import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A body in its stored form.
struct StoredBody: Sendable, Hashable {
  /// The way in which the body was given, which decides how it is sent: bytes are in memory, and other bodies
  /// are read while they are sent.
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

/// The pieces of a body to store.
struct BodyPieces: Sendable {
  var kind: StoredBody.Kind
  var contentType: String?
  var segments: [BodySegment]

  init(kind: StoredBody.Kind, contentType: String?, segments: [BodySegment]) {
    self.kind = kind
    self.contentType = contentType
    self.segments = segments
  }

  /// Divides a body.
  /// - Parameter body: A body that was found to be storable.
  init(_ body: RequestBody) {
    contentType = body.contentType
    switch body.layout {
    case .none: (kind, segments) = (.none, [])
    case .bytes(let data): (kind, segments) = (.bytes, [.bytes(data)])
    case .file(let path): (kind, segments) = (.file, [.file(path: path)])
    case .multipart(let pieces): (kind, segments) = (.multipart, pieces)
    case .stream, .source, .invalid: preconditionFailure("checked before")
    }
  }

  var bytesInMemory: Int64 {
    segments.reduce(0) { sum, segment in
      if case .bytes(let data) = segment { sum + Int64(data.count) } else { sum }
    }
  }
}

/// Whether a segment of a body is stored in its row or in a separate file.
enum SegmentPlacement: Hashable {
  case row(Data)
  case file(BodySegment)

  /// The most bytes of a segment in a row.
  static let rowLimit = 64 << 10
  /// If all segments together are larger than `rowLimit`, segments larger than this go into files.
  static let smallPiece = 4 << 10

  static func places(of segments: [BodySegment]) -> [SegmentPlacement] {
    let segments = joined(segments)
    let total = segments.reduce(0) { $0 + $1.byteCount }
    let limit = total > rowLimit ? smallPiece : rowLimit
    return segments.map { segment in
      switch segment {
      case .bytes(let data) where data.count <= limit: .row(data)
      default: .file(segment)
      }
    }
  }

  /// Joins consecutive segments of bytes into one.
  private static func joined(_ segments: [BodySegment]) -> [BodySegment] {
    var joined: [BodySegment] = []
    var run = Data()
    for segment in segments {
      switch segment {
      // A single segment may be large, and is not copied.
      case .bytes(let data): if run.isEmpty { run = data } else { run += data }
      case .file:
        if !run.isEmpty { joined.append(.bytes(run)) }
        run = Data()
        joined.append(segment)
      }
    }
    if !run.isEmpty { joined.append(.bytes(run)) }
    return joined
  }
}

extension BodySegment {
  fileprivate var byteCount: Int {
    if case .bytes(let data) = self { data.count } else { 0 }
  }
}
