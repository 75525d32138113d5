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

/// Each owner holds a lock on a file of its own for as long as it lives. The system takes the lock away when the process
/// ends, however it ends; another process cannot be taken for it, as it could be by a process's number.
///
/// A file that is there and locked by nobody is the proof that its owner is gone, so it stays as long as anybody may want to
/// know. A file that is missing proves nothing: somebody may have cleaned the folder under a living owner.
final class FileOwnerRegistry: OwnerRegistry {
  static let lockSuffix = ".lock"

  let name: String
  private let folder: String
  /// The locked file; -1 when it was let go.
  private let file: Locked<Int32>
  private let begun: BegunLeases

  init(folder: String) throws(OutboxError) {
    self.folder = folder
    if mkdir(folder, 0o700) != 0, errno != EEXIST { throw .system("cannot make", folder) }
    while true {
      let name = UUID().uuidString
      if let file = try Self.lock(Self.path(of: name, in: folder)) {
        self.name = name
        self.file = Locked(file)
        begun = BegunLeases(Self.begunPath(of: name, in: folder))
        break
      }
    }
  }

  deinit { leave() }

  func begin(_ leases: [Int64]) { begun.begin(leases) }

  func end(_ leases: [Int64]) { begun.end(leases) }

  func hasBegun(_ lease: Int64, _ owner: String) -> Bool? {
    if owner == name { return begun.contains(lease) }
    return BegunLeases.read(Self.begunPath(of: owner, in: folder))?.contains(lease)
  }

  func isAlive(_ owner: String) -> Bool {
    if owner == name { return file.withLock { $0 >= 0 } }
    return !Self.isGone(Self.path(of: owner, in: folder))
  }

  func leave() {
    let file = file.withLock { file in
      defer { file = -1 }
      return file
    }
    begun.letGo()
    if file >= 0 { Self.letGo(file) }
  }

  func leaveNothing() {
    begun.remove()
    unlink(Self.path(of: name, in: folder))
  }

  func tidy(keeping owners: Set<String>) {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for file in files where file.hasSuffix(Self.lockSuffix) {
      let owner = String(file.dropLast(Self.lockSuffix.count))
      if owner != name, !owners.contains(owner) { _ = Self.isGone(folder + "/" + file, removing: true) }
    }
    for file in files where file.hasSuffix(BegunLeases.suffix) {
      let owner = String(file.dropLast(BegunLeases.suffix.count))
      if owner != name, !owners.contains(owner), access(Self.path(of: owner, in: folder), F_OK) != 0 {
        unlink(folder + "/" + file)
      }
    }
    for file in files where file.hasSuffix(PipeDoorbell.suffix) {
      let owner = String(file.dropLast(PipeDoorbell.suffix.count))
      let isLeft =
        access(Self.path(of: owner, in: folder), F_OK) != 0 && !NamedPipe.hasReader(folder + "/" + file)
      if isLeft { unlink(folder + "/" + file) }
    }
  }

  private static func begunPath(of owner: String, in folder: String) -> String {
    folder + "/" + owner + BegunLeases.suffix
  }

  static func path(of owner: String, in folder: String) -> String { folder + "/" + owner + lockSuffix }

  /// Nil if another took the new file for one that was left behind, and removed it.
  private static func lock(_ path: String) throws(OutboxError) -> Int32? {
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .system("cannot make", path) }
    var info = stat()
    if flock(file, LOCK_EX | LOCK_NB) == 0, fstat(file, &info) == 0, info.st_nlink > 0 { return file }
    close(file)
    return nil
  }

  /// Closing alone does not end the lock while a process that is just being started has the descriptor, too.
  private static func letGo(_ file: Int32) {
    flock(file, LOCK_UN)
    close(file)
  }

  private static func isGone(_ path: String, removing: Bool = false) -> Bool {
    let file = open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { letGo(file) }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else { return false }
    if removing { unlink(path) }
    return true
  }
}
