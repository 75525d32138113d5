import CCurl
import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Waits for the sockets that libcurl wants to read or write.
///
/// Requests use a kept-alive connection one after another. So a socket that no transfer wants stays
/// registered until it is ready, usually because its server closed it. Changes are applied only before a
/// wait.
// Exclusivity is not checked, because it would cost time for each event of a socket. Only the engine's thread
// uses the watch, and no access lasts while a holder or libcurl runs, which could come back here.
final class SocketWatch {
  struct Interest: OptionSet {
    let rawValue: UInt8
    static let read = Interest(rawValue: 1)
    static let write = Interest(rawValue: 2)
    static let failure = Interest(rawValue: 4)
  }

  private struct Entry {
    var holder: (any SocketHolder)?
    /// The holder that lost the socket since the last wait. libcurl takes a socket away right before it closes it.
    var lastHolder: (any SocketHolder)?
    var wanted: Interest = []
    var registered: Interest = []
    var isChanged = false
    /// True if the socket was ready at the last wait, and has not been replaced since.
    var isReady = false
    var kind = Kind.other
    /// The ends of an HTTP/1 connection; nil for other sockets.
    var ends: SharedConnection.Ends?
  }

  private enum Kind {
    /// A socket that libcurl uses for its look-ups, and whose closing it does not report.
    case other
    /// A socket that never became a connection. libcurl does not always report its closing.
    case connecting
    /// A connection. `forget` is called before it is closed.
    case connection
  }

  /// The sockets that were ready at the last wait.
  @exclusivity(unchecked) private(set) var ready: [(socket: Int32, for: Interest)] = []

  /// The entries, indexed by their sockets, which are small numbers.
  @exclusivity(unchecked) private var entries: [Entry] = []
  @exclusivity(unchecked) private var changed: [Int32] = []
  /// The sockets of HTTP/1 connections, which have one request at a time.
  @exclusivity(unchecked) private var single: [SharedConnection.Ends: Int32] = [:]
  /// Ends the wait, from any thread.
  let alarm: SocketAlarm
  @exclusivity(unchecked) private var poller: SocketPoller

  init() {
    alarm = SocketAlarm()
    poller = SocketPoller(alarm)
    _ = poller.open()
  }

  /// Sets the events that libcurl waits for on a socket.
  /// - Parameter holder: The transfer that uses the socket. Its `hold` is called when it gets the socket and
  ///   when it loses it.
  func want(_ interest: Interest, of socket: Int32, for holder: (any SocketHolder)?) {
    let index = place(of: socket)
    entries[index].wanted = interest
    // Only a connected socket is read from.
    if interest.contains(.read), entries[index].kind == .connecting { entries[index].kind = .connection }
    let isSingle = entries[index].ends != nil
    let isHeld = holder?.hold(interest.isEmpty ? nil : socket, isSingle: isSingle) ?? false
    if interest.isEmpty { entries[index].lastHolder = entries[index].holder }
    entries[index].holder = isHeld ? holder : nil
    if interest.isEmpty, entries[index].kind != .connection {
      // libcurl may close the socket next without reporting it, and the system may reuse its number.
      if !entries[index].registered.isEmpty { poller.change(socket, from: entries[index].registered, to: []) }
      entries[index].registered = []
      entries[index].kind = .other
    }
    if !entries[index].isChanged {
      entries[index].isChanged = true
      changed.append(socket)
    }
  }

  /// The reason why the last socket could not be made, if the system had no resources left; else nil.
  var shortage: SystemShortage?

  /// Records a new socket. An entry with its number belongs to an earlier socket, which was closed.
  func isMade(_ socket: Int32) {
    shortage = nil
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

  /// Removes a socket that is about to be closed, or was closed. Its number may be reused.
  func forget(_ socket: Int32) {
    let index = Int(socket)
    guard index < entries.count else { return }
    if !entries[index].registered.isEmpty { poller.forget(socket) }
    let holder = entries[index].holder ?? entries[index].lastHolder
    holder?.loses(socket)
    _ = entries[index].holder?.hold(nil, isSingle: true)
    if let ends = entries[index].ends { single[ends] = nil }
    // The change stays recorded, because `changed` contains the socket only once.
    entries[index] = Entry(isChanged: entries[index].isChanged)
  }

  /// Records that a connection uses HTTP/1, if it is open.
  func isSingle(_ socket: Int32, _ ends: SharedConnection.Ends) {
    let index = place(of: socket)
    guard entries[index].kind == .connection, entries[index].ends == nil,
      errand_local_port(socket) == ends.localPort
    else { return }
    entries[index].ends = ends
    single[ends] = socket
  }

  /// Returns the socket of an open HTTP/1 connection, or nil.
  func socket(of ends: SharedConnection.Ends) -> Int32? { single[ends] }

  /// Assigns the socket of an HTTP/1 connection to the transfer whose request is about to be sent on it. libcurl
  /// reports that only when the request waits for the socket, and the request may fail before.
  func isUsed(_ socket: Int32, by holder: any SocketHolder) {
    entries[Int(socket)].holder = holder.hold(socket, isSingle: true) ? holder : nil
  }

  /// Returns true if the socket is the one that was ready, and not a new one with the same number.
  func isStillReady(_ socket: Int32) -> Bool { entries[Int(socket)].isReady }

  /// Waits until a socket is ready, the alarm rings, or the milliseconds have passed. -1 means no limit.
  func wait(milliseconds: Int32) {
    for socket in changed {
      let index = Int(socket)
      entries[index].isChanged = false
      entries[index].lastHolder = nil
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

  /// Makes the file descriptors to wait with, unless they exist. Returns false
  /// if the system has none left, so that waiting is impossible.
  func open() -> Bool { poller.open() }
}

/// An object that uses a socket. It may use the socket only while it holds it.
protocol SocketHolder: AnyObject {
  /// Assigns the socket to the holder, or takes it away (nil). Returns true if the object holds it now.
  /// - Parameter isSingle: True if the connection certainly has one request at a time.
  func hold(_ socket: Int32?, isSingle: Bool) -> Bool
  /// Tells the holder that its socket is about to be closed.
  func loses(_ socket: Int32)
}

/// Converts to and from libcurl's constants.
extension SocketWatch.Interest {
  /// - Parameter what: A constant `CURL_POLL_…`.
  init(poll what: Int32) {
    self =
      switch what {
      case CURL_POLL_IN: .read
      case CURL_POLL_OUT: .write
      case CURL_POLL_INOUT: [.read, .write]
      default: []
      }
  }

  /// The interest as a mask of `CURL_CSELECT_…`.
  var selected: Int32 {
    var mask: Int32 = 0
    if contains(.read) { mask |= CURL_CSELECT_IN }
    if contains(.write) { mask |= CURL_CSELECT_OUT }
    if contains(.failure) { mask |= CURL_CSELECT_ERR }
    return mask
  }
}
