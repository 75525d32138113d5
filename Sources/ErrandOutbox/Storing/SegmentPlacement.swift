import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What of a body goes into its row, and what into files of its own.
enum SegmentPlacement: Hashable {
  case row(Data)
  case file(BodySegment)

  /// More bytes than this are not put into a row.
  static let rowLimit = 64 << 10
  /// If all pieces together are more than a row takes, those that are larger than this go into files.
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

  /// Bytes that follow bytes are one piece.
  private static func joined(_ segments: [BodySegment]) -> [BodySegment] {
    var joined: [BodySegment] = []
    var run = Data()
    for segment in segments {
      switch segment {
      // Bytes that stand alone may be many, and are not copied.
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
