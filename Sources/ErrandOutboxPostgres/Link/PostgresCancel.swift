#if Postgres
  import CPostgres
  import ErrandCore

  /// Asks servers to end statements whose callers have stopped waiting.
  enum PostgresCancel {
    /// The most requests at once, because each waits for a server that may be silent.
    private static let most = 4
    private static let underWay = Locked(0)

    /// Sends a request on a dedicated thread, because libpq waits for the server to accept it. If too many
    /// are in progress, this one is not sent. The server then ends the statement when it finds that the
    /// connection is closed, or later.
    static func send(_ handle: OpaquePointer) {
      // Safe to send: the thread frees it, or this function does if no thread has started.
      nonisolated(unsafe) let handle = handle
      let mayBegin = underWay.withLock { count in
        guard count < most else { return false }
        count += 1
        return true
      }
      let isStarted =
        mayBegin
        && SystemThread.start {
          errand_name_postgres_thread("errand.cancel")
          var message = [CChar](repeating: 0, count: 256)
          _ = PQcancel(handle, &message, Int32(message.count))
          PQfreeCancel(handle)
          underWay.withLock { $0 -= 1 }
        }
      guard !isStarted else { return }
      if mayBegin { underWay.withLock { $0 -= 1 } }
      PQfreeCancel(handle)
    }
  }
#endif
