import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Formats stored requests as a table. Pure: the time and the width are passed in.
struct OutboxTable: Sendable {
  private static let longestLane = 20

  let now: Date

  /// - Parameter width: The greatest length of a line; nil for no limit.
  func lines(_ records: [OutboxRecord], width: Int?) -> [String] {
    let idLength = ShortID.length(of: records.map(\.id))
    var columns: [(title: String, cell: (OutboxRecord) -> String)] = [
      ("ID", { String($0.id.suffix(idLength)) }), ("STATE", { "\($0.state)" }), ("LANE", lane),
      ("ATTEMPTS", { "\($0.attempts)" }), ("AGE", { SpanText.length(now.timeIntervalSince($0.created)) }),
      ("NEXT", next), ("REQUEST", { request($0, isNarrow: width != nil) }),
    ]
    // A narrow table has no column without content.
    if width != nil, records.allSatisfy({ $0.lane == nil }) { columns.removeAll { $0.title == "LANE" } }
    let rows =
      [columns.map(\.title)] + records.map { record in columns.map { ControlEscaper.line($0.cell(record)) } }
    let widths = columns.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let padded = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      return fit((padded.dropLast() + row.suffix(1)).joined(separator: "  "), width)
    }
  }

  private func lane(_ record: OutboxRecord) -> String {
    guard let lane = record.lane else { return "-" }
    return lane.count > Self.longestLane ? "\(lane.prefix(Self.longestLane - 1))…" : lane
  }

  /// Returns the method and URL, with the response's status or the reason of a failure.
  private func request(_ record: OutboxRecord, isNarrow: Bool) -> String {
    let scheme = isNarrow ? record.url.firstRange(of: "://")?.upperBound : nil
    let request = "\(record.method) \(record.url[(scheme ?? record.url.startIndex)...])"
    if record.state == .delivered { return request + (record.response.map { "  → \($0.status)" } ?? "") }
    return request + (record.reason.map { "  (\($0))" } ?? "")
  }

  private func next(_ record: OutboxRecord) -> String {
    guard record.state == .stored else { return "-" }
    return record.nextAttempt.map { SpanText.until($0, at: now) } ?? "now"
  }

  private func fit(_ line: String, _ width: Int?) -> String {
    // The last column stays free: some terminals wrap when it is filled.
    guard let width, line.count >= width else { return line }
    return String(line.prefix(max(1, width - 2))) + "…"
  }
}
