#if ERRAND_SANITIZER
  // Thread sanitizer does not understand `Mutex` and reports false races; it understands pthread's.
  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  package struct Locked<State>: ~Copyable, Sendable {
    // Safe to share: `state` is touched under `mutex` only.
    @safe private final class Box: @unchecked Sendable {
      let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
      var state: State
      init(_ state: State) {
        self.state = state
        unsafe pthread_mutex_init(mutex, nil)
      }
      deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
      }
    }

    private let box: Box

    package init(_ state: sending State) { box = Box(state) }

    package func withLock<Result, Failure: Error>(
      _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      unsafe pthread_mutex_lock(box.mutex)
      defer { unsafe pthread_mutex_unlock(box.mutex) }
      #if ERRAND_LOCK_CHECKS
        HeldLocks.add(1)
        defer { HeldLocks.add(-1) }
      #endif
      return try body(&box.state)
    }
  }
#else
  package import Synchronization

  /// A value and the lock that protects it. Never resume, cancel or call back inside `withLock`.
  // Inlinable, for compilers that can specialise uses in other modules as well. Swift 6.3 specialises only
  // public types; making this public did not make an outbox faster (measured).
  @frozen
  package struct Locked<State>: ~Copyable, Sendable {
    @usableFromInline package let mutex: Mutex<State>

    @inlinable
    package init(_ state: consuming sending State) { mutex = Mutex(state) }

    @inlinable
    @inline(__always)
    package func withLock<Result, Failure: Error>(
      _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      #if ERRAND_LOCK_CHECKS
        HeldLocks.add(1)
        defer { HeldLocks.add(-1) }
      #endif
      return try mutex.withLock(body)
    }
  }
#endif
