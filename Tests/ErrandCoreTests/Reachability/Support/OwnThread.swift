#if os(Linux)
  import ErrandCore

  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// A thread for one piece of work that changes what the thread may do. Shared threads must not be changed, and must not
  /// be born of one that is: they would inherit it. So the work must not reach for tasks or dispatch queues.
  enum OwnThread {
    private class Work {
      func run() {}
    }

    private final class WorkWithResult<Success>: Work {
      let body: () throws -> Success
      var result: Result<Success, any Error>?

      init(_ body: @escaping () throws -> Success) { self.body = body }

      override func run() { result = Result { try body() } }
    }

    /// Returns when the work is done.
    static func run<Success: Sendable>(_ body: @escaping @Sendable () throws -> Success) throws -> Success {
      let work = WorkWithResult(body)
      var thread = pthread_t()
      let code = pthread_create(
        &thread, nil,
        { work in
          work.map { Unmanaged<Work>.fromOpaque($0).takeRetainedValue().run() }
          return nil
        }, Unmanaged<Work>.passRetained(work).toOpaque())
      precondition(code == 0, "no thread can be made")
      pthread_join(thread, nil)
      guard let result = work.result else { preconditionFailure("the thread has not done its work") }
      return try result.get()
    }
  }
#endif
