import CPowerLoss
import Foundation

/// A disk in memory whose power can be cut. For one thread at a time.
final class PowerLossDisk {
  /// What SQLite knows it by.
  let name = "errand-\(UUID().uuidString)"
  private let disk: OpaquePointer

  /// - Parameter lies: It says that something is safe when it is not.
  init(lies: Bool = false) throws {
    struct NoMemory: Error {}
    guard let disk = errand_disk_make(name) else { throw NoMemory() }
    self.disk = disk
    if lies { errand_disk_lie(disk) }
  }

  deinit { errand_disk_free(disk) }

  var isCut: Bool { errand_disk_is_cut(disk) }
  var changes: Int64 { errand_disk_changes(disk) }

  /// Cuts the power at the n-th change from now.
  func cut(after changes: Int) { errand_disk_cut_after(disk, Int64(changes)) }

  /// What was not safe is there, gone, or there in part.
  func restart(seed: UInt64) { errand_disk_restart(disk, seed) }
}
