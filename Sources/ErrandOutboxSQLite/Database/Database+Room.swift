import CSQLite
import ErrandOutbox

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The disk space of the file and of its log.
extension Database {
  private static let pages = Query("PRAGMA page_count")
  private static let freePages = Query("PRAGMA freelist_count")
  private static let pageBytes = Query("PRAGMA page_size")
  /// The file grows in steps of this many bytes, if the disk has the space.
  private static let step: Int64 = 64 << 10

  func pageSize() throws -> Int64 { try integer(Self.pageBytes) ?? 4096 }

  /// The size of the disk in bytes; nil for a file in memory.
  var diskSize: Int64? {
    var disk = statvfs()
    guard vfs == nil, statvfs(path, &disk) == 0, disk.f_blocks > 0 else { return nil }
    let size = Int64(clamping: disk.f_blocks).multipliedReportingOverflow(by: Int64(clamping: disk.f_frsize))
    return size.overflow ? .max : size.partialValue
  }

  /// Reserves the disk space of all pages of the file, so that the log can be moved to it at any time. Call
  /// it at the end of a transaction, before its commit.
  /// - Parameter spare: The bytes that have to be left for later changes, in free pages or after the last
  ///   page.
  /// - Throws: `.diskFull` if the disk does not have the space.
  func reservePages(_ spare: Int64) throws {
    guard vfs == nil else { return }
    let pages = try integer(Self.pages) ?? 0
    if let known = knownRoom, pages <= known.pages, spare <= known.spare { return }
    let size = try pageSize()
    var file = try fileSize()
    if file < pages * size + spare {
      let free = spare == 0 ? 0 : try integer(Self.freePages) ?? 0
      let wanted = max(pages * size, (pages - free) * size + spare)
      if file < wanted {
        file = try grow(to: wanted)
        guard file >= wanted else {
          throw OutboxError.diskFull(path, "the remaining space is reserved for deliveries")
        }
      }
    }
    knownRoom = ((file - spare) / size, spare)
  }

  /// Reserves space for the log, which restarts in this space once it was moved to the file. If the file
  /// system cannot reserve space, that is not an error.
  /// - Throws: `.diskFull` if the disk does not have the space.
  func reserveLog(_ bytes: Int64) throws {
    guard vfs == nil, bytes > 0 else { return }
    let log = LogFile(path + "-wal")
    guard log.length < bytes, errand_reserve_space(log.file, bytes) != 0 else { return }
    if errno == ENOSPC || errno == EDQUOT {
      throw OutboxError.system("cannot reserve space for", path + "-wal")
    }
  }

  /// Prepares the file for a checkpoint: reserves the space of its pages, and makes SQLite keep the spare
  /// space after them, which it would otherwise cut off.
  func prepareFile(keeping spare: Int64) throws {
    let needed = try (integer(Self.pages) ?? 0) * pageSize()
    guard vfs == nil else { return }
    var file = try fileSize()
    if file < needed { file = try grow(to: needed) }
    guard file >= needed else { throw OutboxError.diskFull(path, "the file has no space for its log") }
    setChunk(min(file, needed + spare))
  }

  /// Makes the file at least this long, if the disk has the space.
  /// - Returns: The length of the file.
  private func grow(to wanted: Int64) throws -> Int64 {
    for step in [Self.step, 1] {
      setChunk(step)
      var size = wanted
      let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_SIZE_HINT, &size)
      setChunk(0)
      let file = try fileSize()
      // If the file system cannot reserve space, that is not an error: the space is taken when it is needed.
      if code == SQLITE_OK { return max(file, wanted) }
    }
    return try fileSize()
  }

  /// Makes SQLite extend and cut the file in steps of this size; 0 for steps of a page. SQLite takes only 31
  /// bits.
  private func setChunk(_ bytes: Int64) {
    var chunk = Int32(exactly: bytes) ?? Int32(Self.step)
    _ = sqlite3_file_control(handle, "main", SQLITE_FCNTL_CHUNK_SIZE, &chunk)
  }

  private func fileSize() throws -> Int64 {
    var file = stat()
    guard stat(path, &file) == 0 else { throw OutboxError.system("cannot read the size of", path) }
    return Int64(file.st_size)
  }
}

/// The open file of a write-ahead log. SQLite has no locks on it.
private struct LogFile: ~Copyable {
  let file: Int32

  init(_ path: String) { file = open(path, O_RDWR | O_CLOEXEC) }

  deinit { if file >= 0 { _ = close(file) } }

  /// The length; the greatest number if the file does not exist.
  var length: Int64 {
    var info = stat()
    return file >= 0 && fstat(file, &info) == 0 ? Int64(info.st_size) : .max
  }
}
