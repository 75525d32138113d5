#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Gives the files that root creates in an outbox's folder to the owner of the outbox, who could not use it otherwise.
/// SQLite does the same with the files beside its database.
package enum FolderOwner {
  /// Does nothing unless this process is root's and the outbox another user's.
  /// - Parameters:
  ///   - file: An open file that this process has just created in the folder.
  ///   - folder: The folder of the outbox, whose database tells the owner, or a folder in it.
  package static func adopt(_ file: Int32, in folder: String) {
    var info = stat()
    guard geteuid() == 0 else { return }
    // The database itself is root's at first.
    for path in [folder + "/outbox.sqlite", folder] where status(path, &info) && info.st_uid != 0 {
      _ = fchown(file, info.st_uid, info.st_gid)
      return
    }
  }

  /// Follows a link only if root has made it.
  private static func status(_ path: String, _ info: inout stat) -> Bool {
    guard lstat(path, &info) == 0 else { return false }
    return info.st_mode & S_IFMT != S_IFLNK || info.st_uid != 0 || stat(path, &info) == 0
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
