#if os(Linux)
  import ErrandCore

  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// A thread for one piece of work that changes the thread's permissions. New threads inherit the change, so
  /// the work must not change a shared thread nor create one: it must not use tasks or dispatch queues.
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

    /// Runs the body on a new thread. Returns when the body has returned.
    static func run<Success: Sendable>(_ body: @escaping @Sendable () throws -> Success) throws -> Success {
      let work = WorkWithResult(body)
      var thread = pthread_t()
      let code = pthread_create(
        &thread, nil,
        { work in
          work.map { Unmanaged<Work>.fromOpaque($0).takeRetainedValue().run() }
          return nil
        }, Unmanaged<Work>.passRetained(work).toOpaque())
      precondition(code == 0, "no thread can be created")
      pthread_join(thread, nil)
      guard let result = work.result else { preconditionFailure("the thread has not finished its work") }
      return try result.get()
    }
  }
#endif
