import ErrandCore

/// Keeps handles for reuse, because creating one costs more than using it.
final class CurlHandlePool: Sendable {
  private static let capacity = 512

  private let options: CurlOptions
  private let handles = Locked<[CurlHandle]>([])

  init(_ options: CurlOptions) { self.options = options }

  func take() -> CurlHandle {
    handles.withLock { $0.popLast() }
      ?? CurlHandle(options)
  }

  func put(_ handle: CurlHandle) {
    guard !handle.isSpent else { return }
    handles.withLock { handles in
      if handles.count < Self.capacity { handles.append(handle) }
    }
  }

  func drain() {
    // The last references are released after the lock.
    let drained = handles.withLock { handles in
      defer { handles = [] }
      return handles
    }
    _ = drained
  }
}
