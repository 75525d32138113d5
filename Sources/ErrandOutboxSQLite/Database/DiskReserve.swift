/// The disk space that a store reserves for deliveries, and the length of its log.
///
/// At each commit, the database file has space for all of its pages, and new requests leave some spare space
/// in it. The log has some space, too, and restarts in it once it was moved to the file. Therefore a store
/// can claim and finish the requests that it has accepted, even after other programs have filled the disk.
struct DiskReserve: Sendable, Hashable {
  private static let mostLogPages = 2000
  private static let least: Int64 = 64 << 10

  /// The bytes in the file that new requests leave to deliveries.
  let fileBytes: Int64
  /// The bytes that the log has from the beginning.
  let logBytes: Int64
  /// The number of pages in the log at which they are moved to the file.
  let logPages: Int

  /// Computes the reserve for a disk.
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
