import Dispatch

/// Holds a server's answers back until it is opened. The server's one thread waits for it, so nothing else is answered
/// meanwhile, and the end of a connection is not seen.
final class ServerGate: Sendable {
  private let isOpen = DispatchSemaphore(value: 0)

  func open() { isOpen.signal() }

  /// Returns when it is open; one that nobody opens holds nothing for ever.
  func pass() {
    _ = isOpen.wait(timeout: .now() + 50)
    isOpen.signal()
  }
}
