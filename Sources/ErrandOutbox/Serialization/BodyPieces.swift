import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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

  /// - Parameter body: A body that was found to be storable.
  init(_ body: Body) {
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
