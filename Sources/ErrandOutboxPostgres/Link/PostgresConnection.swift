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

  /// One connection to the server, with libpq's non-blocking calls. Only one thread uses it.
  final class PostgresConnection {
    enum State {
      case idle
      case busy
      /// The connection cannot be used any more.
      case ended(PostgresFailure)
    }

    /// The outcome of the current statement.
    enum Outcome {
      case answer(PostgresAnswer)
      case failure(PostgresFailure)
    }

    private let handle: OpaquePointer
    private(set) var state = State.idle
    /// The events of the socket to wait for.
    private(set) var events = Int16(POLLIN)
    private var found: Outcome?

    /// Takes over a finished connection.
    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { PQfinish(handle) }

    var socket: Int32 { PQsocket(handle) }

    private func fail() {
      let message = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
      state = .ended(PostgresFailure(.lost, message.isEmpty ? "the server closed the connection" : message))
    }

    /// Sends a statement. The connection must be idle.
    func send(_ query: PostgresQuery) {
      guard case .idle = state else { return }
      let encoded = query.values.map(\.encoded)
      let types = query.values.map { Oid($0.type.rawValue) }
      let lengths = encoded.map { Int32($0?.count ?? 0) }
      let formats = [Int32](repeating: 1, count: encoded.count)
      // One buffer for all values, because the pointers are valid only during the call.
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

    /// Continues when the socket is ready.
    /// - Returns: The outcome of the statement; nil if it has not ended.
    func proceed() -> Outcome? {
      switch state {
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

    private func takeResults() -> Outcome? {
      while case .busy = state, PQisBusy(handle) == 0 {
        guard let result = PQgetResult(handle) else {
          state = .idle
          events = Int16(POLLIN)
          if PQstatus(handle) == CONNECTION_BAD { fail() }
          return found ?? .failure(PostgresFailure(.refused, "the server returned no result"))
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
      // PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY. Details are left out, because they may quote rows.
      let (state, message) = (field("C"), field("M"))
      if state.isEmpty {
        return PostgresFailure(.lost, message.isEmpty ? "the server closed the connection" : message)
      }
      // Class 57P means that the server is shutting down. It is then unknown whether the statement was
      // undone.
      return PostgresFailure(state.hasPrefix("57P") ? .lost : .refused, state: state, message)
    }

    /// Asks the server to end the current statement, over a separate connection. This may take long, or have
    /// no effect.
    func cancel() {
      guard case .busy = state, let cancel = PQgetCancel(handle) else { return }
      PostgresCancel.send(cancel)
    }

    /// Returns the channels of the notifications that have arrived.
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
