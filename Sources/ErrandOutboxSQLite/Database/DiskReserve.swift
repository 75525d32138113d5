/// How much of its disk a store holds back for deliveries, and how long its log becomes.
///
/// The database file has space for all of its pages at each commit, and new requests leave it some spare
/// space. The log has some space, too, and restarts in it once it was moved to the file. So a store can claim
/// and finish what it has accepted, even after other programs have filled the disk.
struct DiskReserve: Sendable, Hashable {
  private static let mostLogPages = 2000
  private static let least: Int64 = 64 << 10

  /// The bytes in the file that new requests leave to deliveries.
  let fileBytes: Int64
  /// The bytes that the log has from the beginning.
  let logBytes: Int64
  /// The number of pages in the log from which on they are moved to the file.
  let logPages: Int

  /// - Parameter disk: The size of the whole disk in bytes; nil to reserve nothing.
  init(disk: Int64?, pageSize: Int64) {
    guard let disk else {
      (fileBytes, logBytes, logPages) = (0, 0, Self.mostLogPages)
      return
    }
    let share = max(disk / 16, Self.least)
    fileBytes = min(share, 512 << 10)
    logBytes = min(share, 2 << 20)
    logPages = Int(min(share / max(pageSize, 1), Int64(Self.mostLogPages)))
  }
}
