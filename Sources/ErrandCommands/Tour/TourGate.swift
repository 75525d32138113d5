import Dispatch

/// Holds a server's answers back until it is opened. The server's one thread waits for it, so nothing else is answered
/// meanwhile.
final class TourGate: Sendable {
  private let isOpen = DispatchSemaphore(value: 0)

  func open() { isOpen.signal() }

  /// Returns when it is open, or when nobody will open it any more.
  func pass() {
    _ = isOpen.wait(timeout: .now() + 5)
    isOpen.signal()
  }
}
