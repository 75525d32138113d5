#if Postgres
  import CPostgres

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// Says where a connection goes, and the settings of its session, which a database or a role may have
  /// set otherwise.
  struct ConnectionRequest: Sendable {
    let url: PostgresURL
    /// How many silent hosts were passed over: the attempt begins behind them.
    var turn = 0
    /// False behind a pooler that takes no settings.
    var setsSession = true

    /// The settings that the statements of a store are written for. The link has its deadlines, so a role's time limits
    /// do not end what may still be done.
    private static let session =
      "-c search_path=pg_catalog,pg_temp -c default_transaction_isolation=read\\ committed "
      + "-c standard_conforming_strings=on -c statement_timeout=0 -c lock_timeout=0 "
      + "-c idle_in_transaction_session_timeout=0 -c idle_session_timeout=0"

    /// Notes that an attempt failed.
    mutating func failed(_ failure: PostgresFailure) {
      if failure.isSilence { turn += 1 }
      if failure.refusesSettings { setsSession = false }
    }

    /// The parameters, of which a later one takes the place of an earlier one.
    var parameters: [(name: String, value: String)] {
      var parameters = [
        ("tcp_user_timeout", "30000"), ("fallback_application_name", "errand"), ("dbname", url.text),
        ("client_encoding", "UTF8"),
      ]
      for (name, values) in url.hosts where values.count > 1 {
        let first = turn % values.count
        parameters.append((name, (values[first...] + values[..<first]).joined(separator: ",")))
      }
      if setsSession {
        let own = url.options ?? getenv("PGOPTIONS").map { String(cString: $0) } ?? ""
        parameters.append(("options", own.isEmpty ? Self.session : "\(own) \(Self.session)"))
      }
      return parameters
    }

    /// Begins to connect. A name is looked up in this call, and in those that go on with it.
    func start() -> OpaquePointer? {
      let texts = parameters.map { (strdup($0.name), strdup($0.value)) }
      defer {
        for (name, value) in texts {
          free(name)
          free(value)
        }
      }
      let names: [UnsafePointer<CChar>?] = texts.map { UnsafePointer($0.0) } + [nil]
      let values: [UnsafePointer<CChar>?] = texts.map { UnsafePointer($0.1) } + [nil]
      return PQconnectStartParams(names, values, 1)
    }
  }
#endif
