import Dispatch
import ErrandCore

/// Holds a server's answers back until it is opened. The server's one thread waits for it, so nothing else is answered
/// meanwhile, and the end of a connection is not seen.
package final class ServerGate: Sendable {
  private let limit: Duration
  private let isOpen = DispatchSemaphore(value: 0)

  /// - Parameter limit: One that nobody opens holds nothing for longer.
  package init(limit: Duration = .seconds(50)) { self.limit = limit }

  package func open() { isOpen.signal() }

  /// Returns when it is open, or when nobody will open it any more.
  package func pass() {
    _ = isOpen.wait(timeout: .now() + limit.seconds)
    isOpen.signal()
  }
}
