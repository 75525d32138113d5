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
    var holder: (any SocketHolder)?
    var wanted: Interest = []
    var registered: Interest = []
    var isChanged = false
    /// It was ready at the last wait, and is the same socket still.
    var isReady = false
    var kind = Kind.other
  }

  private enum Kind {
    /// One of libcurl's own, for its look-ups, of whose close nothing is told.
    case other
    /// Of the close of one that never became a connection libcurl does not always tell.
    case connecting
    /// `forget` will be called before it is closed.
    case connection
  }

  /// What was ready at the last wait.
  @exclusivity(unchecked) private(set) var ready: [(socket: Int32, for: Interest)] = []

  /// By socket: their numbers are small.
  @exclusivity(unchecked) private var entries: [Entry] = []
  @exclusivity(unchecked) private var changed: [Int32] = []
  private let poller = SocketPoller()

  /// - Parameter holder: Who wants it now: told when it has it, and when it has it no more.
  func want(_ interest: Interest, of socket: Int32, for holder: (any SocketHolder)?) {
    let index = place(of: socket)
    entries[index].wanted = interest
    // Only a connection that was made is read from.
    if interest.contains(.read), entries[index].kind == .connecting { entries[index].kind = .connection }
    let isHeld = holder?.hold(interest.isEmpty ? nil : socket) ?? false
    entries[index].holder = isHeld ? holder : nil
    if interest.isEmpty, entries[index].kind != .connection {
      // It may be closed next without a word, and its number come back as another's.
      if !entries[index].registered.isEmpty { poller.change(socket, from: entries[index].registered, to: []) }
      entries[index].registered = []
      entries[index].kind = .other
    }
    if !entries[index].isChanged {
      entries[index].isChanged = true
      changed.append(socket)
    }
  }

  /// The socket was made to be connected. What is known of its number is about another one, which was closed.
  func isMade(_ socket: Int32) {
    let index = place(of: socket)
    forget(socket)
    entries[index].kind = .connecting
  }

  private func place(of socket: Int32) -> Int {
    let index = Int(socket)
    if index >= entries.count {
      entries += Array(repeating: Entry(), count: max(64, index + 1 - entries.count))
    }
    return index
  }

  /// The socket is about to be closed, or was, and its number may come back as another's.
  func forget(_ socket: Int32) {
    let index = Int(socket)
    guard index < entries.count else { return }
    if !entries[index].registered.isEmpty { poller.forget(socket) }
    _ = entries[index].holder?.hold(nil)
    // A change that is noted stays so, for it is noted once.
    entries[index] = Entry(isChanged: entries[index].isChanged)
  }

  /// True if what was ready is about this socket, and not about another that had its number.
  func isStillReady(_ socket: Int32) -> Bool { entries[Int(socket)].isReady }

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
    ready.removeAll { socket, _ in
      let index = Int(socket)
      entries[index].isReady = !entries[index].wanted.isEmpty
      guard entries[index].wanted.isEmpty else { return false }
      poller.change(socket, from: entries[index].registered, to: [])
      entries[index].registered = []
      return true
    }
  }

  /// False if the system had no file descriptor left for it: then there can be no waiting.
  var isUsable: Bool { poller.isUsable }

  /// Ends the wait. From any thread.
  func wake() { poller.wake() }
}

/// Who waits for a socket. It may touch the socket as long as it holds it, and no longer.
protocol SocketHolder: AnyObject {
  /// Returns true if it holds the socket now.
  func hold(_ socket: Int32?) -> Bool
}
