import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The uploads that servers have of requests, as far as they have come.
extension OutboxTables {
  private static let keepUpload = Query("INSERT OR REPLACE INTO uploads VALUES (?, ?)")
  private static let countAnew = Query("UPDATE requests SET counted = 1 WHERE seq = ?")
  private static let upload = Query(
    "SELECT upload FROM uploads WHERE seq = (SELECT seq FROM requests WHERE id = ?)")
  private static let removeUpload = Query("DELETE FROM uploads WHERE seq = ?")
  private static let removeOldUploads = Query(
    "DELETE FROM uploads WHERE seq NOT IN (SELECT seq FROM requests WHERE state NOT IN (2, 5))")
  private static let hasUploads = Query("SELECT EXISTS (SELECT 1 FROM uploads)")

  func keep(_ upload: Data, madeProgress: Bool, of lease: Lease) throws -> Bool {
    guard try isLeased(lease) else { return false }
    let sequence = SQLValue.integer(Self.sequence(ofLease: lease.number))
    if madeProgress {
      try database.run(Self.countAnew, [sequence])
      // It is read again when its attempt ends.
      claimed[lease.number] = nil
    }
    try database.run(Self.keepUpload, [sequence], bytes: upload)
    return true
  }

  func uploads(of ids: [OutboxID]) throws -> [Data?] {
    try ids.map { try database.first(Self.upload, [.id($0)]) { $0.bytes(0) } ?? nil }
  }

  func removeUpload(_ sequence: Int64) throws { try database.run(Self.removeUpload, [.integer(sequence)]) }

  /// Removes the uploads of rows that are delivered, dropped or gone.
  func removeOldUploads() throws {
    if try database.integer(Self.hasUploads) == 1 { try database.run(Self.removeOldUploads) }
  }
}
