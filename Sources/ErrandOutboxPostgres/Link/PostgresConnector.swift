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

  /// Makes connections, each on its own thread. A call of libpq looks up the host's name, which takes as long
  /// as the resolver needs, and nothing else should wait for that.
  enum PostgresConnector {
    /// A finished connection, on its way to the thread that uses it.
    struct Made: Sendable {
      // Safe to send: the thread of a link takes it once, and no other thread uses it after `connect`.
      nonisolated(unsafe) fileprivate let handle: OpaquePointer

      func connection() -> PostgresConnection { PostgresConnection(handle) }
      /// Closes a connection that is not needed any more.
      func end() { PQfinish(handle) }
    }

    /// Makes a connection.
    /// - Parameter done: Called once, on another thread.
    static func connect(
      _ request: ConnectionRequest, _ done: @escaping @Sendable (Result<Made, PostgresFailure>) -> Void
    ) {
      let isStarted = SystemThread.start {
        errand_name_postgres_thread("errand.connect")
        done(make(request))
      }
      if !isStarted {
        done(.failure(PostgresFailure(.unreachable, "the system cannot start another thread")))
      }
    }

    private static func make(_ request: ConnectionRequest) -> Result<Made, PostgresFailure> {
      let start = ContinuousClock.now
      guard let handle = request.start() else {
        return .failure(PostgresFailure(.unreachable, "the process has no memory left"))
      }
      // The verbose message contains the state, too.
      PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
      // Otherwise libpq writes notices to standard error.
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
            .unreachable, isSilence: true, "no response for \(request.url.connectTimeout)")
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
          // From now on, messages need not name a place in PostgreSQL's source.
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
