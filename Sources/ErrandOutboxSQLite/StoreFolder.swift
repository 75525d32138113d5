import ErrandCore
import ErrandOutbox

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The folder of a store, and the files in it.
struct StoreFolder {
  let path: String

  var database: String { path + "/outbox.sqlite" }
  /// The folder in which each open store has its lock file.
  var owners: String { path + "/owners" }

  /// Creates the missing folders and the database file, for this user only.
  func make() throws {
    let parents = parentsOfMissing
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw OutboxError.notWritable(path, "\(error)")
    }
    // Without the flush a power failure could remove the new folder with all its contents. A folder that
    // cannot be read cannot be flushed.
    for parent in parents { try? FileDescriptor.flushFolder(parent) }
    try makeDatabase()
  }

  /// The folders in which a missing folder has to be created.
  private var parentsOfMissing: [String] {
    var parents: [String] = []
    var url = URL(filePath: path)
    while access(url.path, F_OK) != 0, url.path != "/" {
      url = url.deletingLastPathComponent()
      parents.append(url.path)
    }
    return parents
  }

  /// Creates the database file with the right permissions: SQLite gives the same to the files beside it.
  private func makeDatabase() throws {
    // An existing file is not opened, because closing it would release the locks of all stores in this
    // process.
    let file = open(database, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if file >= 0 {
      close(file)
    } else if errno != EEXIST {
      throw OutboxError.system("cannot make", database)
    } else {
      try refuseEmptied()
    }
  }

  /// Refuses a file that was emptied while it was in use. SQLite takes a file of at most one byte for a new
  /// one and would delete the log beside it.
  private func refuseEmptied() throws {
    var info = stat()
    guard stat(database, &info) == 0, info.st_size <= 1, access(owners, F_OK) == 0 else { return }
    throw OutboxError.damaged(database, "it is empty, but was in use")
  }
}
