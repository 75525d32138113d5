import CCurl
import ErrandCore

/// Easy handles that are ready for another transfer: making one costs more than using it.
final class CurlHandlePool: Sendable {
  typealias Handle = UnsafeMutableRawPointer

  private static let capacity = 512

  private struct State {
    // Safe to share: a handle is held by the pool or by one transfer, never by both.
    nonisolated(unsafe) var handles: [Handle] = []
  }

  private let options: CurlOptions
  private let state = Locked(State())

  init(_ options: CurlOptions) { self.options = options }

  deinit { drain() }

  func take() -> Handle {
    nonisolated(unsafe) let pooled: Handle? = state.withLock { state in
      nonisolated(unsafe) let handle = state.handles.popLast()
      return handle
    }
    return pooled ?? options.makeEasy()
  }

  func put(_ handle: Handle) {
    nonisolated(unsafe) let handle = handle
    let isFull = state.withLock { state in
      if state.handles.count < Self.capacity {
        state.handles.append(handle)
        return false
      }
      return true
    }
    if isFull { curl_easy_cleanup(handle) }
  }

  func drain() {
    nonisolated(unsafe) let handles = state.withLock { state in
      nonisolated(unsafe) let handles = state.handles
      state.handles = []
      return handles
    }
    for handle in handles { curl_easy_cleanup(handle) }
  }
}
