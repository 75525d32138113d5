import Dispatch
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

/// Whoever listens has a named pipe beside its lock, and whoever rings writes a byte to those of all others. So nobody is
/// woken by what it does itself, and ringing costs one look at the folder where nobody listens.
///
/// Where the file system has no named pipes nobody hears anything: it is a hint.
final class PipeDoorbell: Doorbell {
  static let suffix = ".bell"

  // Safe to share: Dispatch's sources may be used from any thread.
  private struct State: @unchecked Sendable {
    /// The pipes of others, and of which state of the folder they are; nil if they have to be looked up again.
    var others: (pipes: [String], folder: timespec)?
    var source: (any DispatchSourceRead)?
    var isClosed = false
  }

  private let folder: String
  private let own: String
  private let state = Locked(State())

  init(folder: String, owner: String) {
    self.folder = folder
    own = owner + Self.suffix
  }

  func ring() {
    for path in others() {
      guard let pipe = NamedPipe(path) else { continue }
      pipe.writeByte()
    }
  }

  func listen(_ handler: @escaping @Sendable () -> Void) {
    let path = folder + "/" + own
    guard state.withLock({ !$0.isClosed && $0.source == nil }) else { return }
    if mkfifo(path, 0o600) != 0, errno != EEXIST { return }
    guard let pipe = NamedPipe(path) else { return }
    let source = DispatchSource.makeReadSource(
      fileDescriptor: pipe.file, queue: DispatchQueue(label: "errand.outbox.doorbell"))
    source.setEventHandler {
      pipe.drain()
      handler()
    }
    // The pipe has to be open until the source has let go of it.
    source.setCancelHandler { withExtendedLifetime(pipe) {} }
    let isWanted = state.withLock { state in
      if state.isClosed || state.source != nil { return false }
      state.source = source
      return true
    }
    source.activate()
    if isWanted { return }
    source.cancel()
    if state.withLock({ $0.isClosed }) { unlink(path) }
  }

  func close() {
    let source = state.withLock { state in
      state.isClosed = true
      defer { state.source = nil }
      return state.source
    }
    source?.cancel()
    unlink(folder + "/" + own)
  }

  /// The folder is read only if something has come or gone since.
  private func others() -> [String] {
    var info = stat()
    guard stat(folder, &info) == 0 else { return [] }
    let stamp = info.modified
    let known = state.withLock { state in
      state.others.flatMap {
        $0.folder.tv_sec == stamp.tv_sec && $0.folder.tv_nsec == stamp.tv_nsec ? $0.pipes : nil
      }
    }
    if let known { return known }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let pipes = names.filter { $0.hasSuffix(Self.suffix) && $0 != own }.map { folder + "/" + $0 }
    let isSettled = Self.isSettled(stamp)
    state.withLock { $0.others = isSettled ? (pipes, stamp) : nil }
    return pipes
  }

  /// What comes in the same tick of the file system's clock does not show in its stamp. That is some milliseconds long, but
  /// up to two seconds where stamps have no fraction.
  private static func isSettled(_ stamp: timespec) -> Bool {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let age = (now.tv_sec - stamp.tv_sec) * 1000 + (now.tv_nsec - stamp.tv_nsec) / 1_000_000
    return age > (stamp.tv_nsec == 0 ? 3000 : 100)
  }
}
