import ErrandCore
import ErrandCurl
import ErrandOutboxSQLite

/// The text of `errand --version`.
enum VersionText {
  static func text(isLong: Bool) -> String {
    let version = "errand \(ErrandVersion.current)\n"
    guard isLong else { return version }
    #if Postgres
      let postgres = "supported"
    #else
      let postgres = "not supported by this build"
    #endif
    return version + """
      \(CurlTransport.libraries)
      HTTP/2: \(CurlTransport.http2Problem.map { "not used: \($0)" } ?? "used")
      SQLite \(SQLiteOutboxStore.libraryVersion)
      stores in PostgreSQL: \(postgres)

      """
  }
}
