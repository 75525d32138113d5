/// Whether there is a network, as the system tells it: see `NetworkStatus` for what that is worth.
///
/// ```swift
/// for await status in Reachability.shared.updates where status != .offline { await sync() }
/// ```
///
/// - Linux: online is a machine with a route to some address beyond it, over an interface that is up and has a carrier,
///   other than loopback. A default route is not asked for: the server may be on the local network. A bridge of
///   containers or a VPN whose tunnel stands counts as well, though it may lead nowhere. The kernel (rtnetlink(7)) tells
///   of changes in the network namespace of the thread that asked first. Where that is forbidden, as in some sandboxes,
///   the status stays `unknown`.
/// - Apple's platforms: offline is what the system's path monitor calls unsatisfied. The status is `unknown` until its
///   first word, which comes soon after the first use.
///
/// Nothing is asked, and no thread or socket taken, before the first use. Then nothing runs until something changes.
/// Watching ends when the instance and all of its updates have been let go.
public final class Reachability: ReachabilityMonitor {
  /// One for all: it costs the system one socket, or one path monitor, however many use it.
  public static let shared = Reachability()

  private let board: NetworkBoard

  /// Watches the system's network, from the first use.
  public init() {
    board = NetworkBoard { tell in
      #if canImport(Darwin)
        PathWatch(tell)
      #elseif os(Linux)
        NetlinkSocket().map { NetlinkWatch($0, tell) }
      #else
        nil
      #endif
    }
  }

  init(_ board: NetworkBoard) { self.board = board }

  public var current: NetworkStatus { board.current }

  public var updates: NetworkUpdates { NetworkUpdates(board) }
}
