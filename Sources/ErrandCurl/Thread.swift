import CCurl

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A thread of the system's, for work that may not block anybody else.
enum Thread {
  private final class Work {
    let name: String
    let body: () -> Void
    init(_ name: String, _ body: @escaping () -> Void) {
      self.name = name
      self.body = body
    }
  }

  /// Returns false if the system has no thread left.
  static func start(named name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let work = Unmanaged.passRetained(Work(name, body))
    let code = pthread_create(
      &thread, &attributes,
      { argument in
        #if canImport(Darwin)
          let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
        #else
          let work = Unmanaged<Work>.fromOpaque(argument!).takeRetainedValue()
        #endif
        errand_name_thread(work.name)
        work.body()
        return nil
      }, work.toOpaque())
    if code != 0 { work.release() }
    return code == 0
  }
}
