#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The queue of operations for a store's thread, which sleeps while the queue is empty.
// Safe to share: all properties are used under `mutex` only.
final class OperationInbox: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let arrival = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var operations: [StoreOperation] = []
  private var isAwaited = false
  private var end: End?

  /// How the thread is to end, and the callbacks that wait for its end.
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

  /// Adds an operation.
  /// - Returns: False if the inbox was closed.
  func put(_ operation: StoreOperation) -> Bool {
    pthread_mutex_lock(mutex)
    let isOpen = end == nil
    if isOpen { operations.append(operation) }
    let wakes = isOpen && isAwaited
    if wakes { isAwaited = false }
    pthread_mutex_unlock(mutex)
    // Signalled after unlocking, else the thread would wake only to wait for the mutex.
    if wakes { pthread_cond_signal(arrival) }
    return isOpen
  }

  /// Waits for operations, and takes all of them.
  /// - Returns: False if the inbox was closed and is empty.
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

  /// Closes the inbox: it takes no more operations. `done` is called when the operations in it are done and
  /// the thread ends.
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

  /// Ends the inbox. Called by the thread as its last act.
  /// - Returns: The callbacks that wait for the end.
  func finish() -> [() -> Void] {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    let waiters = end?.waiters ?? []
    end = End(isGraceful: end?.isGraceful ?? true, isOver: true)
    return waiters
  }
}
