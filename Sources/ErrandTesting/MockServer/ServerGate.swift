import Dispatch
import ErrandCore

/// A gate at which a server's handler waits until it is opened. It blocks the server's only thread, so no
/// other request gets a response meanwhile, and the end of a connection is not seen.
package final class ServerGate: Sendable {
  private let limit: Duration
  private let isOpen = DispatchSemaphore(value: 0)

  /// - Parameter limit: The gate opens by itself after this time. Default: 50 s.
  package init(limit: Duration = .seconds(50)) { self.limit = limit }

  package func open() { isOpen.signal() }

  /// Waits until the gate is open or the limit has passed.
  package func pass() {
    _ = isOpen.wait(timeout: .now() + limit.seconds)
    isOpen.signal()
  }
}
