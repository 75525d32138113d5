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

/// Tells the stores that share an outbox's file that one of them has changed it.
package protocol ChangeNotifier: Sendable {
  /// Notifies all other stores that listen.
  func ring()

  /// Calls `handler`, on any thread, when another store calls `ring`. Two rings in quick succession may cause
  /// one call.
  func listen(_ handler: @escaping @Sendable () -> Void)

  /// Stops listening. Holds nothing any more when it returns.
  func close()
}

/// A change notifier in which each listener has a named pipe beside its lock, and `ring` writes a byte to the
/// pipes of all others. So no store is woken by its own changes, and ringing costs one look at the folder if
/// no store listens.
///
/// Notifications are hints: where the file system has no named pipes, none arrive.
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
    /// Signalled when the pipe is closed: Dispatch lets go of it some time after the source was cancelled.
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
    if mkfifo(path, 0o600) != 0, errno != EEXIST { return }
    guard let pipe = NamedPipe(path) else { return }
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

  /// Tells whether a later change of the folder must have a later time stamp. A change in the same tick of
  /// the file system's clock does not show in the stamp; a tick is some milliseconds long, but up to two
  /// seconds where stamps have no fraction.
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

  /// Opens a named pipe; nil if there is none.
  init?(_ path: String) {
    // Opened for reading and writing: writing to a pipe without a reader kills the process, and a pipe
    // without a writer is always at its end.
    file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
    if file < 0 { return nil }
    // Nothing is written into a file that only has such a name.
    var info = stat()
    guard fstat(file, &info) == 0, info.st_mode & S_IFMT == S_IFIFO else { return nil }
  }

  deinit { end() }

  /// Closes the pipe; nothing uses it any more.
  func end() {
    let wasOpen = isOpen.withLock { isOpen in
      defer { isOpen = false }
      return isOpen
    }
    if wasOpen { close(file) }
  }

  /// Returns whether a process has the pipe open for reading; true if that is not known.
  static func hasReader(_ path: String) -> Bool {
    let file = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return errno != ENXIO }
    close(file)
    return true
  }

  /// Writes a byte, unless the pipe is full: then it will be read anyway.
  func writeByte() {
    var byte: UInt8 = 1
    write(file, &byte, 1)
  }

  func drain() {
    var bytes: [UInt8] = Array(repeating: 0, count: 256)
    while read(file, &bytes, bytes.count) > 0 {}
  }
}
