#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Gives the files that root creates in an outbox's folder to the folder's owner, who could not use the outbox
/// otherwise. SQLite does the same with the files beside its database.
package enum FolderOwner {
  /// Does nothing unless this process is root's and the folder another user's.
  /// - Parameter file: An open file that this process has just created in the folder.
  package static func adopt(_ file: Int32, in folder: String) {
    var info = stat()
    guard geteuid() == 0, stat(folder, &info) == 0, info.st_uid != 0 else { return }
    _ = fchown(file, info.st_uid, info.st_gid)
  }

  /// The same for a folder that this process has just created.
  package static func adopt(folder path: String, in folder: String) {
    guard geteuid() == 0 else { return }
    // The owner may have put a link, or another user's folder, in its place.
    let file = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { return }
    defer { close(file) }
    var info = stat()
    if fstat(file, &info) == 0, info.st_uid == 0 { adopt(file, in: folder) }
  }
}
