import ErrandOutbox
import Foundation

@testable import ErrandCommands

extension OutboxRecord {
  static func sample(
    _ id: String, _ sequence: Int64 = 1, _ state: OutboxState = .stored,
    _ change: (inout OutboxRecord) -> Void = { _ in }
  ) -> OutboxRecord {
    var record = OutboxRecord(
      id: id, sequence: sequence, priority: "default", state: state, method: "POST", url: "http://a/",
      idempotencyKey: "k", created: Date(timeIntervalSince1970: 0), changed: Date(timeIntervalSince1970: 0),
      attempts: 0, size: 1)
    change(&record)
    return record
  }
}
