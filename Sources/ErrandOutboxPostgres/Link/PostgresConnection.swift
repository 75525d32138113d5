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

  /// One connection to the server, by libpq's non-blocking calls. Used by one thread.
  final class PostgresConnection {
    enum State {
      case connecting
      case idle
      case busy
      /// It is of no use any more.
      case ended(PostgresFailure)
    }

    /// What came of the statement under way.
    enum Outcome {
      case answer(PostgresAnswer)
      case failure(PostgresFailure)
    }

    private let handle: OpaquePointer
    private(set) var state = State.connecting
    /// What to wait for at the socket.
    private(set) var events = Int16(POLLOUT)
    private var found: Outcome?

    /// Begins to connect. A name in the URL is looked up in this call.
    init?(_ url: PostgresURL, application: String) {
      // A later value takes the place of an earlier one, and the URL those before it.
      let options: [(String, String)] = [
        ("tcp_user_timeout", "30000"), ("fallback_application_name", application), ("dbname", url.text),
        ("client_encoding", "UTF8"),
      ]
      let texts = options.map { (strdup($0.0), strdup($0.1)) }
      defer {
        for (name, value) in texts {
          free(name)
          free(value)
        }
      }
      let names: [UnsafePointer<CChar>?] = texts.map { UnsafePointer($0.0) } + [nil]
      let values: [UnsafePointer<CChar>?] = texts.map { UnsafePointer($0.1) } + [nil]
      guard let handle = PQconnectStartParams(names, values, 1) else { return nil }
      self.handle = handle
      // Then the message names the state, too.
      PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
      // Otherwise a notice goes to standard error.
      PQsetNoticeProcessor(handle, { _, _ in }, nil)
      if PQstatus(handle) == CONNECTION_BAD { fail() }
    }

    deinit { PQfinish(handle) }

    var socket: Int32 { PQsocket(handle) }

    private func fail() {
      let message = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
      if case .connecting = state {
        state = .ended(PostgresFailure(connecting: message))
      } else {
        state = .ended(PostgresFailure(.lost, message.isEmpty ? "the server closed it" : message))
      }
    }

    /// Sends a statement. The connection must be idle.
    func send(_ query: PostgresQuery) {
      guard case .idle = state else { return }
      let encoded = query.values.map(\.encoded)
      let types = query.values.map { Oid($0.type.rawValue) }
      let lengths = encoded.map { Int32($0?.count ?? 0) }
      let formats = [Int32](repeating: 1, count: encoded.count)
      // One buffer for all: the pointers are valid during the call only.
      let buffer = UnsafeMutableRawPointer.allocate(
        byteCount: max(1, encoded.reduce(0) { $0 + ($1?.count ?? 0) }), alignment: 8)
      defer { buffer.deallocate() }
      var (pointers, offset) = ([UnsafePointer<CChar>?](), 0)
      for value in encoded {
        guard let value else {
          pointers.append(nil)
          continue
        }
        let start = buffer + offset
        value.withUnsafeBytes {
          if let base = $0.baseAddress { start.copyMemory(from: base, byteCount: $0.count) }
        }
        pointers.append(UnsafePointer(start.assumingMemoryBound(to: CChar.self)))
        offset += value.count
      }
      found = nil
      guard
        PQsendQueryParams(
          handle, query.sql, Int32(encoded.count), types, pointers, lengths, formats, 1) == 1
      else { return fail() }
      state = .busy
      flush()
    }

    private func flush() {
      switch PQflush(handle) {
      case 0: events = Int16(POLLIN)
      case 1: events = Int16(POLLIN | POLLOUT)
      default: fail()
      }
    }

    /// Goes on after the socket is ready.
    /// - Returns: The outcome of the statement, if it is over now.
    func proceed() -> Outcome? {
      switch state {
      case .connecting:
        connect()
        return nil
      case .idle, .busy:
        guard PQconsumeInput(handle) == 1 else {
          fail()
          return nil
        }
        guard case .busy = state else {
          if PQstatus(handle) == CONNECTION_BAD { fail() }
          return nil
        }
        flush()
        return takeResults()
      case .ended: return nil
      }
    }

    private func connect() {
      switch PQconnectPoll(handle) {
      case PGRES_POLLING_READING: events = Int16(POLLIN)
      case PGRES_POLLING_WRITING: events = Int16(POLLOUT)
      case PGRES_POLLING_OK:
        guard PQsetnonblocking(handle, 1) == 0 else { return fail() }
        // Messages need no place in PostgreSQL's source from now on.
        PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
        events = Int16(POLLIN)
        state = .idle
      default: fail()
      }
    }

    private func takeResults() -> Outcome? {
      while case .busy = state, PQisBusy(handle) == 0 {
        guard let result = PQgetResult(handle) else {
          state = .idle
          events = Int16(POLLIN)
          if PQstatus(handle) == CONNECTION_BAD { fail() }
          return found ?? .failure(PostgresFailure(.refused, "the server answered nothing"))
        }
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: found = .answer(PostgresAnswer(result))
        default:
          let failure = Self.failure(of: result)
          PQclear(result)
          if PQstatus(handle) == CONNECTION_BAD { state = .ended(failure) }
          found = .failure(failure)
        }
      }
      if case .ended = state { return found }
      return nil
    }

    private static func failure(of result: OpaquePointer) -> PostgresFailure {
      func field(_ name: Character) -> String {
        PQresultErrorField(result, Int32(name.asciiValue ?? 0)).map { String(cString: $0) } ?? ""
      }
      // PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY. Details are left out: they may quote rows.
      let (state, message) = (field("C"), field("M"))
      if state.isEmpty { return PostgresFailure(.lost, message.isEmpty ? "the server closed it" : message) }
      // Class 57P is for servers that end: what was under way is undone or not, and nothing said which.
      return PostgresFailure(state.hasPrefix("57P") ? .lost : .refused, state: state, message)
    }

    /// Returns the channels of notifications that have come.
    func notifications() -> [String] {
      var channels: [String] = []
      while let notification = PQnotifies(handle) {
        channels.append(String(cString: notification.pointee.relname))
        PQfreemem(notification)
      }
      return channels
    }
  }
#endif
