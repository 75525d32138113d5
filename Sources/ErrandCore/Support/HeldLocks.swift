#if ERRAND_LOCK_CHECKS
  import Synchronization

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif
#endif

/// Counts the locks (`Locked`) that this thread holds, in a debug build. Callbacks must not run under a lock.
@usableFromInline package enum HeldLocks {
  #if ERRAND_LOCK_CHECKS
    private static let key: pthread_key_t = {
      var key = pthread_key_t()
      let result = unsafe pthread_key_create(&key, nil)
      precondition(result == 0, "the system cannot create another thread-local value")
      return key
    }()

    package static var count: Int { unsafe Int(bitPattern: pthread_getspecific(key)) }

    @usableFromInline package static func add(_ change: Int) {
      unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: count + change))
    }

    package static func assertNone() { precondition(count == 0, "a listener is called under a lock") }
  #else
    package static func assertNone() {}
  #endif
}
