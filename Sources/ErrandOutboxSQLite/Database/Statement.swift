import CSQLite
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A statement that is prepared once per connection. It must be a static constant, because a connection finds
/// its prepared statement by identity.
final class Query: Sendable {
  let sql: String

  init(_ sql: String) { self.sql = sql }
}

/// A value for a parameter of a statement.
enum SQLValue {
  case null
  case integer(Int64)
  case text(String)
  case bytes(Data)

  static func integer(_ value: Int) -> SQLValue { .integer(Int64(value)) }
  static func bool(_ value: Bool) -> SQLValue { .integer(value ? 1 as Int64 : 0) }
  static func state(_ value: OutboxState) -> SQLValue { .integer(value.rawValue) }
  static func id(_ value: OutboxID) -> SQLValue { .text(value.rawValue) }
  static func optional(_ value: String?) -> SQLValue { value.map(SQLValue.text) ?? .null }
  static func optional(_ value: Int64?) -> SQLValue { value.map { .integer($0) } ?? .null }
}

/// A prepared statement. Columns are read between `step` and `reset`, by their index.
final class Statement {
  private let handle: OpaquePointer
  private unowned let database: Database
  private static let largest: Int64 = 1 << 59

  init(_ sql: String, on database: Database, isKept: Bool) throws(OutboxError) {
    var handle: OpaquePointer?
    let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let code = sqlite3_prepare_v3(database.handle, sql, -1, flags, &handle, nil)
    guard code == SQLITE_OK, let handle else { throw database.failure(code) }
    self.handle = handle
    self.database = database
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ values: [SQLValue]) throws(OutboxError) {
    var index: Int32 = 0
    for value in values {
      index += 1
      let code =
        switch value {
        case .null: sqlite3_bind_null(handle, index)
        case .integer(let value): sqlite3_bind_int64(handle, index, value)
        case .text(let text): bind(text, at: index)
        case .bytes(let bytes):
          bytes.withUnsafeBytes {
            $0.isEmpty
              ? sqlite3_bind_zeroblob(handle, index, 0)
              : errand_sqlite_bind_bytes(handle, index, $0.baseAddress, UInt64($0.count))
          }
        }
      guard code == SQLITE_OK else { throw database.failure(code) }
    }
  }

  private func bind(_ text: String, at index: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        // An empty string may have no address, and SQLite treats a missing address as null.
        guard let address = $0.baseAddress else { return errand_sqlite_bind_text(handle, index, "", 0) }
        return errand_sqlite_bind_text(handle, index, address, UInt64($0.count))
      }
    }
  }

  /// Binds bytes without copying them. They must stay valid until `reset`.
  func bind(lasting bytes: UnsafeRawBufferPointer, at index: Int32) throws(OutboxError) {
    let code =
      bytes.isEmpty
      ? sqlite3_bind_zeroblob(handle, index, 0)
      : errand_sqlite_bind_lasting_bytes(handle, index, bytes.baseAddress, UInt64(bytes.count))
    guard code == SQLITE_OK else { throw database.failure(code) }
  }

  /// Moves to the next row.
  /// - Returns: False after the last row.
  func step() throws(OutboxError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw database.failure(code)
    }
  }

  /// Prepares the statement for its next use.
  func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  /// Returns an integer; 0 for null. The value is limited to ±2⁵⁹, so that sums of several values do not
  /// overflow even if the file is damaged.
  func integer(_ column: Int32) -> Int64 {
    max(-Self.largest, min(sqlite3_column_int64(handle, column), Self.largest))
  }

  func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

  func text(_ column: Int32) -> String? {
    guard let text = sqlite3_column_text(handle, column) else { return nil }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }

  func bytes(_ column: Int32) -> Data? {
    guard !isNull(column) else { return nil }
    guard let bytes = sqlite3_column_blob(handle, column) else { return Data() }
    return Data(bytes: bytes, count: Int(sqlite3_column_bytes(handle, column)))
  }
}
