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

/// Knows which owners of an outbox's file are still alive. Each open store is an owner.
package protocol LivenessRegistry: Sendable {
  /// The name of this owner, which marks its claims. No other owner ever has it.
  var name: String { get }

  /// Returns false only if it is certain that the owner is gone.
  func isAlive(_ owner: String) -> Bool

  /// Marks this owner as gone, so that others can see it.
  func leave()

  /// Notes that this owner is about to send the requests with these leases. The note outlives the process.
  func begin(_ leases: [Int64])

  /// Discards the notes about these leases. A note may remain until it is overwritten.
  func end(_ leases: [Int64])

  /// Returns whether an owner had begun to send the request with this lease; nil if that is not known.
  func hasBegun(_ lease: Int64, _ owner: String) -> Bool?

  /// Removes all traces of this owner. Call it before `leave` if this owner has no claims: other owners then
  /// need not see that it is gone.
  func leaveNothing()

  /// Removes all traces of owners that are gone, except of these owners: they still have claims, and other
  /// owners must see that they are gone.
  func tidy(keeping owners: Set<String>)
}

extension LivenessRegistry {
  package func begin(_ leases: [Int64]) {}
  package func end(_ leases: [Int64]) {}
  package func hasBegun(_ lease: Int64, _ owner: String) -> Bool? { nil }
  package func leaveNothing() {}
  package func tidy(keeping owners: Set<String>) {}
}

/// A liveness registry in which each owner locks its own file as long as it lives. The system releases the
/// lock when the process ends in any way. In contrast to a process id, no other process can take over a lock.
///
/// An unlocked file proves that its owner is gone, so the file stays while a store may need to know that. A
/// missing file proves nothing: a user may have deleted it while its owner was alive.
final class FileLivenessRegistry: LivenessRegistry {
  static let lockSuffix = ".lock"

  let name: String
  private let folder: String
  /// The locked file; -1 after it was closed.
  private let file: Locked<Int32>
  private let begun: BegunLeases

  init(folder: String) throws(OutboxError) {
    self.folder = folder
    if mkdir(folder, 0o700) == 0 {
      FolderOwner.adopt(folder: folder, in: folder + "/..")
    } else if errno != EEXIST {
      throw .system("cannot create", folder)
    }
    while true {
      let name = UUID().uuidString
      if let file = try Self.lock(Self.path(of: name, in: folder)) {
        FolderOwner.adopt(file, in: folder)
        self.name = name
        self.file = Locked(file)
        begun = BegunLeases(Self.begunPath(of: name, in: folder), in: folder)
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
    // Each owner is named by a UUID. Files with other names do not belong to an owner.
    let files = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { file in
      UUID(uuidString: String(file.prefix { $0 != "." })) != nil
    }
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
    for file in files where file.hasSuffix(PipeChangeNotifier.suffix) {
      let owner = String(file.dropLast(PipeChangeNotifier.suffix.count))
      let isLeft =
        access(Self.path(of: owner, in: folder), F_OK) != 0 && !NamedPipe.hasReader(folder + "/" + file)
      if isLeft { unlink(folder + "/" + file) }
    }
  }

  private static func begunPath(of owner: String, in folder: String) -> String {
    folder + "/" + owner + BegunLeases.suffix
  }

  static func path(of owner: String, in folder: String) -> String { folder + "/" + owner + lockSuffix }

  /// Creates and locks a file.
  /// - Returns: Nil if another store mistook the new file for an abandoned one, and deleted it.
  private static func lock(_ path: String) throws(OutboxError) -> Int32? {
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .system("cannot create", path) }
    var info = stat()
    if flock(file, LOCK_EX | LOCK_NB) == 0, fstat(file, &info) == 0, info.st_nlink > 0 { return file }
    close(file)
    return nil
  }

  /// Unlocks and closes a file. Closing alone does not end the lock if a process that is just starting has
  /// inherited the descriptor.
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
