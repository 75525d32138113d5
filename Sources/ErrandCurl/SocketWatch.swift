#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Waits for sockets: which of them are wanted for what, and which are ready.
///
/// A kept connection is wanted by one request after another. So a socket that nobody wants stays registered until it has
/// something to say (its server closed it, as a rule), and changes are carried out only before a wait.
// Safe to share: `wake` writes to a descriptor that lives as long as this does; everything else is touched on the
// engine's thread only.
final class SocketWatch: @unchecked Sendable {
  struct Interest: OptionSet {
    let rawValue: UInt8
    static let read = Interest(rawValue: 1)
    static let write = Interest(rawValue: 2)
    static let failure = Interest(rawValue: 4)
  }

  private struct Entry {
    var wanted: Interest = []
    var registered: Interest = []
    var isChanged = false
  }

  /// What was ready at the last wait.
  private(set) var ready: [(socket: Int32, for: Interest)] = []

  /// By socket: their numbers are small.
  private var entries: [Entry] = []
  private var changed: [Int32] = []
  private let poller = SocketPoller()

  func want(_ interest: Interest, of socket: Int32) {
    let index = Int(socket)
    if index >= entries.count {
      entries += Array(repeating: Entry(), count: max(64, index + 1 - entries.count))
    }
    entries[index].wanted = interest
    if !entries[index].isChanged {
      entries[index].isChanged = true
      changed.append(socket)
    }
  }

  /// The socket is about to be closed, and its number may come back as another's.
  func forget(_ socket: Int32) {
    let index = Int(socket)
    guard index < entries.count else { return }
    if !entries[index].registered.isEmpty { poller.forget(socket) }
    entries[index].wanted = []
    entries[index].registered = []
  }

  /// Waits until a socket is ready, `wake` is called, or so many milliseconds have passed; -1: for ever.
  func wait(milliseconds: Int32) {
    for socket in changed {
      let index = Int(socket)
      entries[index].isChanged = false
      let (wanted, registered) = (entries[index].wanted, entries[index].registered)
      if wanted != registered, !wanted.isEmpty {
        poller.change(socket, from: registered, to: wanted)
        entries[index].registered = wanted
      }
    }
    changed.removeAll(keepingCapacity: true)
    ready.removeAll(keepingCapacity: true)
    poller.wait(milliseconds, into: &ready)
    for (socket, _) in ready where entries[Int(socket)].wanted.isEmpty {
      poller.change(socket, from: entries[Int(socket)].registered, to: [])
      entries[Int(socket)].registered = []
    }
  }

  /// Ends the wait. From any thread.
  func wake() { poller.wake() }
}
