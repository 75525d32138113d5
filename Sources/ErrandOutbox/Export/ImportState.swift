import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Checks the order of imported lines: a head, all bytes of its body in order, the next head.
struct ImportState {
  enum Step: Sendable {
    /// A request begins.
    case begin(ExportedHead)
    /// The next bytes of this segment of the body.
    case add(Data, segment: Int)
    /// The request is complete.
    case complete
  }

  private var head: ExportedHead?
  /// The segment that the next bytes belong to, and the number of its missing bytes.
  private var segment = 0
  private var missing: Int64 = 0

  mutating func take(_ line: ExportedLine) throws(ImportFault) -> [Step] {
    switch line {
    case .head(let next):
      try checkComplete()
      try next.checkBody()
      head = next
      segment = 0
      missing = next.segments.first?.length ?? 0
      return [.begin(next)] + moveOn()
    case .piece(let piece): return try take(piece)
    }
  }

  /// Ends the import.
  /// - Throws: If the last request is not complete.
  func finish() throws(ImportFault) { try checkComplete() }

  private mutating func take(_ piece: ExportedPiece) throws(ImportFault) -> [Step] {
    guard let head, ASCII.areSame(piece.of, head.id) else {
      throw ImportFault("these bytes do not belong to the request on the lines before them")
    }
    guard piece.segment == segment else {
      throw ImportFault(
        "these bytes belong to segment \(piece.segment), but those of segment \(segment) should come next")
    }
    guard !piece.bytes.isEmpty, Int64(piece.bytes.count) <= missing else {
      throw ImportFault("the line has \(piece.bytes.count) bytes, but the segment lacks only \(missing)")
    }
    missing -= Int64(piece.bytes.count)
    return [.add(piece.bytes, segment: segment)] + moveOn()
  }

  /// Continues with the next segment that has bytes, or ends the request.
  private mutating func moveOn() -> [Step] {
    guard let head else { return [] }
    while missing == 0 {
      segment += 1
      guard segment < head.segments.count else {
        self.head = nil
        return [.complete]
      }
      missing = head.segments[segment].length
    }
    return []
  }

  private func checkComplete() throws(ImportFault) {
    guard let head else { return }
    throw ImportFault("the body of request \(head.id) is incomplete: at least \(missing) bytes are missing")
  }
}

/// Why a line cannot be imported.
struct ImportFault: Error, Sendable {
  let code: OutboxError.Code
  let reason: String

  init(_ reason: String, code: OutboxError.Code = .badImport) {
    self.reason = reason
    self.code = code
  }
}
