#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What a store's thread has still to do. The thread sleeps while there is nothing.
// Safe to share: everything is touched under `mutex` only.
final class OperationInbox: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let arrival = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var operations: [StoreOperation] = []
  private var isAwaited = false
  private var end: End?

  /// How it is to end, and who waits for that.
  struct End {
    var isGraceful: Bool
    var waiters: [() -> Void] = []
    var isOver = false
  }

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(arrival, nil)
  }

  deinit {
    pthread_cond_destroy(arrival)
    pthread_mutex_destroy(mutex)
    arrival.deallocate()
    mutex.deallocate()
  }

  /// False if it was closed.
  func put(_ operation: StoreOperation) -> Bool {
    pthread_mutex_lock(mutex)
    let isOpen = end == nil
    if isOpen { operations.append(operation) }
    let wakes = isOpen && isAwaited
    if wakes { isAwaited = false }
    pthread_mutex_unlock(mutex)
    // Not before: else it would wake only to wait for the mutex.
    if wakes { pthread_cond_signal(arrival) }
    return isOpen
  }

  /// Waits for operations, and takes all.
  /// - Returns: False if it was closed and everything is done.
  func take(_ batch: inout [StoreOperation]) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while operations.isEmpty && end == nil {
      isAwaited = true
      pthread_cond_wait(arrival, mutex)
      isAwaited = false
    }
    swap(&batch, &operations)
    return !batch.isEmpty
  }

  /// Takes nothing any more. `done` is called when what was taken has been done and the thread is over.
  func close(isGraceful: Bool, _ done: @escaping () -> Void) {
    pthread_mutex_lock(mutex)
    let isOver = end?.isOver == true
    if !isOver {
      if end == nil { end = End(isGraceful: isGraceful) }
      end?.waiters.append(done)
      if isAwaited { pthread_cond_signal(arrival) }
    }
    pthread_mutex_unlock(mutex)
    if isOver { done() }
  }

  var isGraceful: Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return end?.isGraceful ?? true
  }

  /// To be called by the thread as its last act.
  /// - Returns: Those who wait for it.
  func finish() -> [() -> Void] {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    let waiters = end?.waiters ?? []
    end = End(isGraceful: end?.isGraceful ?? true, isOver: true)
    return waiters
  }
}
