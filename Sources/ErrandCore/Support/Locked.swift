#if ERRAND_SANITIZER
  // Thread sanitizer does not understand `Mutex`, and reports false races. It understands pthread's mutex.
  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  package struct Locked<State>: ~Copyable, Sendable {
    // Safe to share, because `state` is accessed under `mutex` only.
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
  public import Synchronization

  package typealias Locked<State> = _Locked<State>

  /// A value and the lock that protects it. Never resume, cancel or call back inside `withLock`.
  ///
  /// It is not for apps. It is public because Swift specialises only public types for the modules that import
  /// them. A lock that is not specialised looks up its type at each use (5 % of the CPU time of a small
  /// request).
  @frozen
  public struct _Locked<State>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<State>

    /// Creates a lock around a value.
    @inlinable
    public init(_ state: consuming sending State) { mutex = Mutex(state) }

    /// Runs `body` with the value while the lock is held, and returns its result.
    @inlinable
    @inline(__always)
    public func withLock<Result, Failure: Error>(
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
