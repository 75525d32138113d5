import CSQLite

/// Runs SQLite's own integrity check.
enum IntegrityCheck {
  /// Returns nil if the database is intact.
  static func complaint(_ path: String) -> String? {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
      return "cannot be opened"
    }
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(handle, "PRAGMA integrity_check", -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0)
    else { return String(cString: sqlite3_errmsg(handle)) }
    let said = String(cString: text)
    return said == "ok" ? nil : said
  }
}
