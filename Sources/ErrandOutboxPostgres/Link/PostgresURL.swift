#if Postgres
  import CPostgres
  import ErrandOutbox

  /// Where a database is, and as whom to sign in: a URL as libpq reads it. Its description shows no
  /// password.
  struct PostgresURL: Sendable, CustomStringConvertible {
    /// The whole URL, for libpq alone.
    let text: String
    /// The host and the database, for messages.
    let description: String
    /// The parameters of libpq that have a value for each of several hosts.
    let hosts: [String: [String]]
    /// How long making a connection may take, but for the look-up of its name. Default: 10 s.
    let connectTimeout: Duration
    /// The settings of the session that the URL asks for.
    let options: String?

    /// - Throws: `OutboxError.failed` if libpq cannot read the URL. The message has nothing of it: a password
    ///   with a `/` or an `@` in it may be taken for any other part.
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
          "libpq does not understand it: write special characters in a password as %40 and so on")
      }
      defer { PQconninfoFree(options) }
      var (values, next) = ([String: String](), options)
      while let keyword = next.pointee.keyword {
        if let value = next.pointee.val { values[String(cString: keyword)] = String(cString: value) }
        next += 1
      }
      if let known = Self.unsafeHost(values["host"]) { throw Self.unreadable(known) }
      guard Self.isPorts(values["port"]) else { throw Self.unreadable("its port is no number up to 65535") }
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

    /// Returns true for one port, or one for each of several hosts. A port that is none may be a part of a
    /// password.
    private static func isPorts(_ ports: String?) -> Bool {
      guard let ports else { return true }
      return ports.split(separator: ",", omittingEmptySubsequences: false).allSatisfy {
        $0.isEmpty || UInt16($0).map { $0 > 0 } == true
      }
    }

    /// Returns what is wrong with a host that may be a part of a password.
    private static func unsafeHost(_ host: String?) -> String? {
      guard let host, host.utf8.contains(where: { "@:/%# ".utf8.contains($0) }) else { return nil }
      let isSocketOrAddress =
        host.hasPrefix("/")
        || host.utf8.allSatisfy { "0123456789abcdefABCDEF:.%,".utf8.contains($0) }
      return isSocketOrAddress ? nil : "its host has characters that no host has: is the password escaped?"
    }

    private static func unreadable(_ reason: String) -> OutboxError {
      OutboxError(
        .failed,
        "the URL of the database cannot be read: \(reason); it is like postgres://user:password@host:5432/database"
      )
    }
  }
#endif
