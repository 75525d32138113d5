#if Postgres
  import CPostgres
  import ErrandCore

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// Makes connections, each on a thread of its own: libpq looks up a name in its calls, for as long as the resolver
  /// takes, and nothing else is to wait for that.
  enum PostgresConnector {
    /// A connection that was made, on its way to the thread that uses it.
    // Safe to share: it is taken once, by the thread of a link; until then no other knows it.
    struct Made: @unchecked Sendable {
      fileprivate let handle: OpaquePointer

      func connection() -> PostgresConnection { PostgresConnection(handle) }
      /// Ends a connection that nobody takes.
      func end() { PQfinish(handle) }
    }

    /// Connects.
    /// - Parameter done: Called once, on another thread.
    static func connect(
      _ request: ConnectionRequest, _ done: @escaping @Sendable (Result<Made, PostgresFailure>) -> Void
    ) {
      let isStarted = SystemThread.start {
        errand_name_postgres_thread("errand.connect")
        done(make(request))
      }
      if !isStarted { done(.failure(PostgresFailure(.unreachable, "the system has no thread left"))) }
    }

    private static func make(_ request: ConnectionRequest) -> Result<Made, PostgresFailure> {
      let start = ContinuousClock.now
      guard let handle = request.start() else {
        return .failure(PostgresFailure(.unreachable, "there is no memory left"))
      }
      // Then the message names the state, too.
      PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
      // Otherwise a notice goes to standard error.
      PQsetNoticeProcessor(handle, { _, _ in }, nil)
      var failure: PostgresFailure?
      var events = Int16(POLLOUT)
      while failure == nil, PQstatus(handle) != CONNECTION_BAD {
        let left = request.url.connectTimeout - start.duration(to: .now)
        var file = pollfd(fd: PQsocket(handle), events: events, revents: 0)
        let count = left > .zero ? poll(&file, 1, Int32(clamping: left.wholeMilliseconds + 1)) : 0
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          failure = PostgresFailure(
            .unreachable, isSilence: true, "no answer for \(request.url.connectTimeout)")
          break
        }
        switch PQconnectPoll(handle) {
        case PGRES_POLLING_READING: events = Int16(POLLIN)
        case PGRES_POLLING_WRITING: events = Int16(POLLOUT)
        case PGRES_POLLING_OK:
          guard PQsetnonblocking(handle, 1) == 0 else {
            failure = PostgresFailure(.unreachable, "the connection cannot be used without blocking")
            break
          }
          // Messages need no place in PostgreSQL's source from now on.
          PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
          return .success(Made(handle: handle))
        default: break
        }
      }
      defer { PQfinish(handle) }
      if let failure { return .failure(failure) }
      let message = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
      var found = PostgresFailure(connecting: message)
      found.needsPassword = PQconnectionNeedsPassword(handle) == 1
      return .failure(found)
    }
  }
#endif
