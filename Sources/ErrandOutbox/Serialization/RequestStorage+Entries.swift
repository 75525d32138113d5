import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension RequestStorage {
  /// Returns the entry of a row. If the row cannot be read any more, parts of the entry are missing.
  func entry(_ row: OutboxRow) -> OutboxEntry {
    let summary = try? summary(of: row)
    let response = row.response.flatMap { try? self.response($0, of: row.id) }
      .flatMap(OutboxResponse.init(decoding:))
    return OutboxEntry(
      id: row.id, sequence: row.sequence, lane: row.lane,
      priority: Priority(rawValue: UInt8(clamping: row.priority)) ?? .default, state: row.state,
      method: summary?.method ?? "?", url: summary?.url ?? "?",
      idempotencyKey: summary?.idempotencyKey ?? "?",
      created: Date(milliseconds: row.created), changed: Date(milliseconds: row.changed),
      attempts: row.attempts,
      nextAttempt: row.due.map(Date.init(milliseconds:)), expires: row.expires.map(Date.init(milliseconds:)),
      reason: reason(of: row, response), reasonWithoutWords: row.reason, size: row.size, response: response)
  }

  /// Returns the reason with the server's explanation. The row of a dead letter does not have the
  /// explanation, because its reason is plain text and its response may be encrypted.
  private func reason(of row: OutboxRow, _ response: OutboxResponse?) -> String? {
    guard row.state == .deadLettered, let reason = row.reason, let words = response.flatMap(words) else {
      return row.reason
    }
    return reason + ServerWords.clause(words)
  }

  func heldOrigin(_ hold: OriginHold) -> HeldOrigin {
    let address = try? shownOrigin(of: hold)
    return HeldOrigin(
      origin: address?.origin ?? "?", key: address?.key, kind: hold.kind, reason: hold.reason,
      until: Date(milliseconds: hold.until))
  }
}
