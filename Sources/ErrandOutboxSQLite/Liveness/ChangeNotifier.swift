import Dispatch
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

/// Signals changes between the stores that share an outbox's file.
package protocol ChangeNotifier: Sendable {
  /// Notifies all other stores that listen.
  func ring()

  /// Calls `handler`, on any thread, when another store calls `ring`. Two rings in quick succession may cause
  /// one call.
  func listen(_ handler: @escaping @Sendable () -> Void)

  /// Stops listening. When it returns, the notifier holds no resources.
  func close()
}

/// A change notifier with named pipes. Each listener has a pipe beside its lock, and `ring` writes a byte to
/// the pipes of all other listeners. Thus no store is woken by its own changes. If no store listens, ringing
/// costs one look at the folder.
///
/// Notifications are hints: if the file system has no named pipes, none arrive.
final class PipeChangeNotifier: ChangeNotifier {
  static let suffix = ".bell"

  private struct State {
    /// The pipes of other stores, and the time stamp of the folder when they were looked up; nil if they have
    /// to be looked up again.
    var others: (pipes: [String], folder: timespec)?
    var listening: Listening?
    var isClosed = false
  }

  private struct Listening {
    let source: any DispatchSourceRead
    /// Signalled when the pipe is closed, because Dispatch releases it some time after the source was
    /// cancelled.
    let isOver: DispatchSemaphore
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
    guard state.withLock({ !$0.isClosed && $0.listening == nil }) else { return }
    let isNew = mkfifo(path, 0o600) == 0
    if !isNew, errno != EEXIST { return }
    guard let pipe = NamedPipe(path) else { return }
    if isNew { FolderOwner.adopt(pipe.file, in: folder) }
    let queue = DispatchQueue(label: "errand.outbox.notifier")
    let isClosed = state.withLock { state in
      if state.isClosed || state.listening != nil { return state.isClosed }
      let source = DispatchSource.makeReadSource(fileDescriptor: pipe.file, queue: queue)
      source.setEventHandler {
        pipe.drain()
        handler()
      }
      let isOver = DispatchSemaphore(value: 0)
      // The pipe must stay open until the source has released it.
      source.setCancelHandler {
        pipe.end()
        isOver.signal()
      }
      source.activate()
      state.listening = Listening(source: source, isOver: isOver)
      return false
    }
    if isClosed { unlink(path) }
  }

  func close() {
    let listening = state.withLock { state in
      state.isClosed = true
      return state.listening.take()
    }
    if let listening {
      listening.source.cancel()
      listening.isOver.wait()
    }
    unlink(folder + "/" + own)
  }

  /// Returns the pipes of other stores. The folder is read only if it has changed since the last call.
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

  /// Returns true if a later change of the folder certainly gets a later time stamp. A change in the same
  /// tick of the file system's clock does not change the stamp. A tick takes some milliseconds, but up to two
  /// seconds if stamps have no fraction.
  private static func isSettled(_ stamp: timespec) -> Bool {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let age = (now.tv_sec - stamp.tv_sec) * 1000 + (now.tv_nsec - stamp.tv_nsec) / 1_000_000
    return age > (stamp.tv_nsec == 0 ? 3000 : 100)
  }
}

/// An open named pipe whose reads and writes do not block.
final class NamedPipe: Sendable {
  let file: Int32
  private let isOpen = Locked(true)

  /// Opens a named pipe; nil if it does not exist.
  init?(_ path: String) {
    // Opened for reading and writing, because writing to a pipe without a reader kills the process, and a
    // pipe without a writer is always at its end.
    file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
    if file < 0 { return nil }
    // A regular file with such a name must not be written to.
    var info = stat()
    guard fstat(file, &info) == 0, info.st_mode & S_IFMT == S_IFIFO else { return nil }
  }

  deinit { end() }

  /// Closes the pipe. No thread may use it any more.
  func end() {
    let wasOpen = isOpen.withLock { isOpen in
      defer { isOpen = false }
      return isOpen
    }
    if wasOpen { close(file) }
  }

  /// Returns true if a process has the pipe open for reading, or if that is not known.
  static func hasReader(_ path: String) -> Bool {
    let file = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return errno != ENXIO }
    close(file)
    return true
  }

  /// Writes a byte, unless the pipe is full, which means that the reader will be woken anyway.
  func writeByte() {
    var byte: UInt8 = 1
    write(file, &byte, 1)
  }

  func drain() {
    var bytes: [UInt8] = Array(repeating: 0, count: 256)
    while read(file, &bytes, bytes.count) > 0 {}
  }
}
