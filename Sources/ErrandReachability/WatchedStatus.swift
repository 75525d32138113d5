import ErrandCore

/// The network status and the watcher that sets it, from the first use until this is released.
final class WatchedStatus: Sendable {
  typealias Tell = @Sendable (NetworkStatus) -> Void
  /// Begins to watch, and goes on until the returned object is released; nil if the network cannot be
  /// watched.
  typealias Watcher = @Sendable (_ tell: @escaping Tell) -> (any AnyObject & Sendable)?

  private enum Watch {
    case toBegin(Watcher)
    case begun((any AnyObject & Sendable)?)
  }

  private let watch: Locked<Watch>
  private let status = CurrentValue(NetworkStatus.unknown)

  init(_ watcher: @escaping Watcher) { watch = Locked(.toBegin(watcher)) }

  /// The status, watched. The first use starts the watcher, and a second one waits until the first dump is
  /// done, so that it does not read an older status. The watcher sets the status under this lock, which is
  /// safe: there are no readers yet to resume.
  var watched: CurrentValue<NetworkStatus, NetworkStatus> {
    watch.withLock { watch in
      guard case .toBegin(let watcher) = watch else { return }
      watch = .begun(watcher { [status] in status.set($0) })
    }
    return status
  }
}
