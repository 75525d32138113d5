import Foundation

@testable import ErrandOutbox

extension OriginState.Limits {
  static let sample = OriginState.Limits(
    perOrigin: 4, firstPause: .seconds(1), longestPause: .seconds(60), longestUnauthorized: .seconds(600))
}

extension ClaimedRow {
  /// A claimed row that is its own lease.
  static func sample(
    _ number: Int64, _ origin: String = "", priority: Int = 0, lane: String? = nil
  ) -> ClaimedRow {
    let id = OutboxID(rawValue: "\(number)")
    let row = OutboxRow(
      id: id, sequence: number, lane: lane, priority: priority, state: .attempting, created: 0, changed: 0,
      attempts: 1,
      countedAttempts: 1, due: nil, expires: nil, reason: nil, size: 1, summary: Data(), response: nil,
      origin: origin)
    return ClaimedRow(row: row, content: Data(), lease: Lease(id: id, number: number))
  }
}

extension DispatchState {
  /// Adds new rows of these origins, with numbers from `number`.
  mutating func claimed(
    _ counts: [String: Int], of order: Order, from number: inout Int64, lane: String? = nil,
    hasMore: Bool = false
  ) {
    var claim = Claim()
    for (origin, count) in counts.sorted(by: { $0.key < $1.key }) {
      for _ in 0..<count {
        number += 1
        claim.rows.append(.sample(number, origin, lane: lane))
      }
    }
    claim.next = hasMore ? .zero : nil
    claimed(claim, of: order, until: .max, renewingBy: .max, at: .zero)
  }

  /// Records all attempts that have ended.
  mutating func record() {
    while inFlight.beginRecording() != nil { endRecording(isDone: true) }
  }
}
