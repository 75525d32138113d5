import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Stored requests as a table for people. Pure: the time and the width come in.
struct OutboxTable: Sendable {
  private static let titles = ["ID", "STATE", "LANE", "TRIES", "AGE", "NEXT TRY", "REQUEST"]
  private static let longestLane = 20

  let now: Date

  /// - Parameter width: No line is longer; nil for as long as they are.
  func lines(_ records: [OutboxRecord], width: Int?) -> [String] {
    let idLength = ShortID.length(of: records.map(\.id))
    let rows = [Self.titles] + records.map { cells($0, idLength) }
    let widths = Self.titles.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        let isLast = column == row.count - 1
        line += isLast ? cell : cell + String(repeating: " ", count: widths[column] - cell.count + 2)
      }
      return fit(line, width)
    }
  }

  private func cells(_ record: OutboxRecord, _ idLength: Int) -> [String] {
    var request = record.request
    if let reason = record.reason, record.state != .delivered { request += "  (\(reason))" }
    if let status = record.answer?.status, record.state == .delivered { request += "  → \(status)" }
    let lane = record.lane.map { $0.count > Self.longestLane ? "\($0.prefix(Self.longestLane - 1))…" : $0 }
    return [
      String(record.id.prefix(idLength)), "\(record.state)", lane ?? "-", "\(record.tries)",
      SpanText.length(now.timeIntervalSince(record.created)), next(record), request,
    ].map(ControlEscaper.line)
  }

  private func next(_ record: OutboxRecord) -> String {
    guard record.state == .stored else { return "-" }
    return record.nextTry.map { SpanText.until($0, at: now) } ?? "now"
  }

  private func fit(_ line: String, _ width: Int?) -> String {
    // The last column stays free: some terminals wrap when it is filled.
    guard let width, line.count >= width else { return line }
    return String(line.prefix(max(1, width - 2))) + "…"
  }
}
