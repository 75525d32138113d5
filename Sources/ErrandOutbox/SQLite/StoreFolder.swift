import ErrandCore

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

/// Where a store's files are.
struct StoreFolder {
  let path: String

  var database: String { path + "/outbox.sqlite" }
  /// Each who has it open has a file there.
  var owners: String { path + "/owners" }

  /// Makes what is missing, for this user only.
  func make() throws {
    let parents = parentsOfMissing
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw OutboxError.notWritable(path, "\(error)")
    }
    // Else a loss of power could take away the folder with all that is in it. One that cannot be read cannot be flushed.
    for parent in parents { try? FileDescriptor.flushFolder(parent) }
    try makeDatabase()
  }

  /// The folders in which a name has to be made.
  private var parentsOfMissing: [String] {
    var parents: [String] = []
    var url = URL(filePath: path)
    while access(url.path, F_OK) != 0, url.path != "/" {
      url = url.deletingLastPathComponent()
      parents.append(url.path)
    }
    return parents
  }

  /// SQLite gives the same rights to whatever it puts beside the file.
  private func makeDatabase() throws {
    // One that is there is not opened: closing it would end the locks of everyone in this process.
    let file = open(database, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if file >= 0 {
      close(file)
    } else if errno != EEXIST {
      throw OutboxError.system("cannot make", database)
    } else {
      try refuseEmptied()
    }
  }

  /// To SQLite a file without a byte, or with a single one, is new, and it would remove what lies in the log beside it.
  private func refuseEmptied() throws {
    var info = stat()
    guard stat(database, &info) == 0, info.st_size <= 1, access(owners, F_OK) == 0 else { return }
    throw OutboxError.damaged(database, "it is empty, but was in use")
  }
}
