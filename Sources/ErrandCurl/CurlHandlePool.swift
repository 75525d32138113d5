import ErrandCore

/// Handles that are ready for another transfer: making one costs more than using it.
final class CurlHandlePool: Sendable {
  private static let capacity = 512

  private let options: CurlOptions
  private let handles = Locked<[CurlHandle]>([])

  init(_ options: CurlOptions) { self.options = options }

  func take() -> CurlHandle {
    handles.withLock { $0.popLast() }
      ?? CurlHandle(options.makeEasy(), guardsHeads: options.isBeforeVersion8)
  }

  func put(_ handle: CurlHandle) {
    guard !handle.isSpent else { return }
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
