#if Postgres
  import ErrandOutbox

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The columns of a request in results, by name, because a newer schema may have more columns.
  enum RowColumns {
    private static let names = [
      "seq", "id", "long_id", "lane", "long_lane", "priority", "state", "created", "changed", "attempts",
      "counted",
      "due", "due_wall", "expires_wall", "reason", "size", "summary", "response", "origin", "revision",
    ]

    static let count = Int32(names.count)

    /// The columns of a table or view.
    static func of(_ table: String) -> String { names.map { "\(table).\($0)" }.joined(separator: ", ") }

    /// The columns of a value of a row's type.
    static func ofValue(_ value: String) -> String {
      names.map { "(\(value)).\($0)" }.joined(separator: ", ")
    }

    /// Reads a request; nil if the columns are null.
    /// - Parameter first: The index of the first column.
    static func row(_ row: PostgresAnswer.Row, _ first: Int32 = 0) -> OutboxRow? {
      guard let id = row.text(first + 1), let state = OutboxState(rawValue: Int(row.integer(first + 6)))
      else {
        return nil
      }
      let sequence = row.integer(first)
      return OutboxRow(
        id: OutboxID(rawValue: StoredName.name(id, long: row.text(first + 2))), sequence: sequence,
        lane: row.text(first + 3).map { StoredName.name($0, long: row.text(first + 4)) },
        priority: Int(row.integer(first + 5)), state: state, created: row.integer(first + 7),
        changed: row.integer(first + 8), attempts: Int(row.integer(first + 9)),
        countedAttempts: Int(row.integer(first + 10)),
        due: state == .stored && row.integer(first + 11) > 0 ? row.integer(first + 12) : nil,
        expires: row.optionalInteger(first + 13), reason: row.text(first + 14), size: row.integer(first + 15),
        summary: row.data(first + 16) ?? Data(),
        response: state == .delivered || state == .deadLettered ? row.data(first + 17) : nil,
        origin: StoredName.name(row.text(first + 18) ?? "", long: nil),
        // Two readings of the same state have the same number, and each later state has a larger one.
        reading: OutboxRow.Reading(sequence << 24 | row.integer(first + 19) & 0xFF_FFFF))
    }
  }

  /// The numbers of leases: a request's sequence, and the number of its claims.
  enum LeaseNumber {
    static let mask: Int64 = 0xFF_FFFF

    static func of(_ sequence: Int64, _ count: Int64) -> Int64 { sequence << 24 | count & mask }
    static func sequence(_ number: Int64) -> Int64 { number >> 24 }
    static func count(_ number: Int64) -> Int64 { number & mask }
  }
#endif
