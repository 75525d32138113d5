internal import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Starts system threads for work that blocks and must not hold up other tasks.
package enum SystemThread {
  /// Identifies a thread.
  package struct ID: Hashable, Sendable {
    fileprivate let number: UInt

    /// The calling thread.
    package static var current: ID {
      unsafe withUnsafeBytes(of: pthread_self()) { unsafe ID(number: $0.load(as: UInt.self)) }
    }
  }

  private final class Work {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }

  /// Starts a thread. Returns false if the system cannot create one.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let work = unsafe Unmanaged.passRetained(Work(body))
    let code = unsafe pthread_create(
      &thread, &attributes,
      { argument in
        #if canImport(Darwin)
          let work = unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
        #else
          let work = unsafe Unmanaged<Work>.fromOpaque(argument!).takeRetainedValue()
        #endif
        work.body()
        return nil
      }, work.toOpaque())
    if code != 0 { unsafe work.release() }
    return code == 0
  }
}

/// A mark that tells the thread that has set it from all others.
package final class ThreadMark: Sendable {
  private let thread = Atomic<UInt>(0)

  package init() {}

  /// True on the thread that has set the mark last. It may be read on any thread.
  package var isSet: Bool { thread.load(ordering: .relaxed) == SystemThread.ID.current.number }

  package func set() { thread.store(SystemThread.ID.current.number, ordering: .relaxed) }
  package func clear() { thread.store(0, ordering: .relaxed) }
}
