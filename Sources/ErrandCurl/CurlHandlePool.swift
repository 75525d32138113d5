import ErrandCore

/// Handles that are ready for another transfer: making one costs more than using it.
final class CurlHandlePool: Sendable {
  private static let capacity = 512

  private let options: CurlOptions
  /// A handle of libcurl's before version 8 still has the last field of the transfer before, which is freed: a response whose
  /// first field begins with a space would be written there.
  private let keeps: Bool
  private let handles = Locked<[CurlHandle]>([])

  init(_ options: CurlOptions) {
    self.options = options
    keeps = !options.isBeforeVersion8
  }

  func take() -> CurlHandle {
    handles.withLock { $0.popLast() } ?? CurlHandle(options.makeEasy())
  }

  func put(_ handle: CurlHandle) {
    guard keeps, !handle.isSpent else { return }
    handles.withLock { handles in
      if handles.count < Self.capacity { handles.append(handle) }
    }
  }

  func drain() {
    // The last reference goes after the lock is released.
    let drained = handles.withLock { handles in
      defer { handles = [] }
      return handles
    }
    _ = drained
  }
}
