import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Whether a segment of a body is stored in its row or in a file of its own.
enum SegmentPlacement: Hashable {
  case row(Data)
  case file(BodySegment)

  /// The most bytes of a segment in a row.
  static let rowLimit = 64 << 10
  /// If all segments together are larger than `rowLimit`, those that are larger than this go into files.
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
