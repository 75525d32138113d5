#if Postgres
  import CPostgres
  import ErrandOutbox

  /// The URL of a database, with the user to sign in, as libpq reads it. Its description does not show the
  /// password.
  struct PostgresURL: Sendable, CustomStringConvertible {
    /// The complete URL, only for libpq.
    let text: String
    /// The host and the database, for messages.
    let description: String
    /// The parameters of libpq that have a value for each of several hosts.
    let hosts: [String: [String]]
    /// How long making a connection may take, not counting the look-up of the host's name. Default: 10 s.
    let connectTimeout: Duration
    /// The settings of the session that are in the URL.
    let options: String?

    /// Parses a URL.
    /// - Throws: `OutboxError.failed` if libpq cannot read the URL. The message quotes no part of it, because
    ///   libpq may take a password with a `/` or an `@` for another part.
    init(_ text: String) throws(OutboxError) {
      guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") else {
        throw Self.unreadable("it does not begin with postgres://")
      }
      guard !text.utf8.contains(0) else { throw Self.unreadable("it contains a zero byte") }
      let authority = text.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" && $0 != "?" }
      guard authority.utf8.count(where: { $0 == UInt8(ascii: "@") }) <= 1 else {
        throw Self.unreadable("it has more than one @ before its path: write one in a password as %40")
      }
      let path = text.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" && $0 != "?" }.prefix { $0 != "?" }
      guard !path.contains("@") else {
        throw Self.unreadable("it has an @ in its path: write a / in a password as %2F")
      }
      guard let options = PQconninfoParse(text, nil) else {
        throw Self.unreadable(
          "libpq cannot parse it: write special characters in a password in percent-encoding, such as %40")
      }
      defer { PQconninfoFree(options) }
      var (values, next) = ([String: String](), options)
      while let keyword = next.pointee.keyword {
        if let value = next.pointee.val { values[String(cString: keyword)] = String(cString: value) }
        next += 1
      }
      if let known = Self.unsafeHost(values["host"]) { throw Self.unreadable(known) }
      guard Self.isPorts(values["port"]) else {
        throw Self.unreadable("its port is not a number from 1 to 65535")
      }
      self.text = text
      self.options = values["options"]
      let timeout = values["connect_timeout"].flatMap { Int($0) } ?? 0
      connectTimeout = .seconds(timeout > 0 ? min(timeout, 3_600) : 10)
      hosts = ["host", "hostaddr", "port"].reduce(into: [:]) { hosts, name in
        hosts[name] = values[name]?.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      }
      let place = values["host"] ?? values["hostaddr"] ?? "this machine"
      let port = values["port"].map { ":\($0)" } ?? ""
      description = "the database \(values["dbname"] ?? "(of the user's name)") on \(place)\(port)"
    }

    /// Returns true for one port, or one for each of several hosts. Any other text may be a part of a
    /// password.
    private static func isPorts(_ ports: String?) -> Bool {
      guard let ports else { return true }
      return ports.split(separator: ",", omittingEmptySubsequences: false).allSatisfy {
        $0.isEmpty || UInt16($0).map { $0 > 0 } == true
      }
    }

    /// Returns the problem with a host that may be a part of a password; nil if it has none.
    private static func unsafeHost(_ host: String?) -> String? {
      guard let host, host.utf8.contains(where: { "@:/%# ".utf8.contains($0) }) else { return nil }
      let isSocketOrAddress =
        host.hasPrefix("/")
        || host.utf8.allSatisfy { "0123456789abcdefABCDEF:.%,".utf8.contains($0) }
      return isSocketOrAddress
        ? nil
        : "its host has characters that are not allowed in a host: write special characters in a password in percent-encoding"
    }

    private static func unreadable(_ reason: String) -> OutboxError {
      OutboxError(
        .failed,
        "the URL of the database cannot be read: \(reason); write it like postgres://user:password@host:5432/database"
      )
    }
  }
#endif
