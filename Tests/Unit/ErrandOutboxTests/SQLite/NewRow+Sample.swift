import ErrandOutbox
import ErrandOutboxSQLite
import Foundation

extension NewRow {
  static func sample(_ id: String, lane: String? = nil, size: Int = 20, files: [String] = []) -> NewRow {
    NewRow(
      id: OutboxID(rawValue: id), lane: lane, holdsLane: false, priority: 0, expiry: nil,
      summary: Data("summary".utf8), content: Data(repeating: UInt8(id.utf8.count), count: size),
      files: files,
      size: Int64(size))
  }
}

extension StoreTime {
  static let sample = StoreTime(ticks: 1_000_000, wall: 1_700_000_000_000, boot: "boot")
}

extension SQLiteOutboxStore {
  func add(_ rows: NewRow...) async throws { _ = try await add(rows, within: OutboxCaps()) }

  func names() async throws -> [String] {
    try await list(.all, after: 0, limit: .max).map(\.id.rawValue)
  }
}
