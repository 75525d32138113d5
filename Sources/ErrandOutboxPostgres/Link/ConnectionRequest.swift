#if Postgres
  import CPostgres

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// The target of a connection, and the settings of its session. The settings override those of the database
  /// or the role.
  struct ConnectionRequest: Sendable {
    let url: PostgresURL
    /// The number of silent hosts that were skipped. The attempt begins after them.
    var turn = 0
    /// False behind a pooler that accepts no settings.
    var setsSession = true

    /// The settings that the statements of a store need. The link has its own deadlines, so a role's time
    /// limits must not end statements that may still succeed.
    private static let session =
      "-c search_path=pg_catalog,pg_temp -c default_transaction_isolation=read\\ committed "
      + "-c standard_conforming_strings=on -c statement_timeout=0 -c lock_timeout=0 "
      + "-c idle_in_transaction_session_timeout=0 -c idle_session_timeout=0"

    /// Notes that an attempt failed.
    mutating func failed(_ failure: PostgresFailure) {
      if failure.isSilence { turn += 1 }
      if failure.refusesSettings { setsSession = false }
    }

    /// The parameters. A later one overrides an earlier one of the same name.
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

    /// Begins to connect. This call, and the calls that continue it, look up the host's name.
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
