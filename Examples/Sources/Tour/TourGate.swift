import Dispatch

/// Holds a response back until the tour opens it. It blocks the thread of the mock server, which sends nothing else
/// meanwhile.
final class TourGate: Sendable {
  private let isOpen = DispatchSemaphore(value: 0)

  func open() { isOpen.signal() }

  /// Waits until the gate is open, at most 5 s.
  func pass() {
    _ = isOpen.wait(timeout: .now() + 5)
    isOpen.signal()
  }
}
