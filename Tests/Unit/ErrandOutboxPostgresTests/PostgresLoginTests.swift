#if Postgres
  import ErrandOutbox
  import ErrandOutboxPostgres
  import Foundation
  import PostgresCluster
  import TestSupport
  import Testing

  /// Passwords and TLS are handled by libpq; the error messages are ours.
  @Suite(.timeLimit(.minutes(1))) struct PostgresLoginTests {
    private func refusal(_ url: String, _ settings: PostgresSettings) async throws -> OutboxError {
      var settings = settings
      settings.deadline = .seconds(5)
      return try #require(
        await #expect(throws: OutboxError.self) { try await PostgresOutboxStore(url, settings: settings) })
    }

    @Test func `a password is read from a file, and a wrong one is not shown`() async throws {
      let (fleet, folder) = (try await Fleet(), try TemporaryFolder())
      try await fleet.psql(
        """
        CREATE ROLE with_password LOGIN PASSWORD 's3cret-right';
        GRANT CREATE ON DATABASE postgres TO with_password;
        """)
      let url = fleet.cluster.url(user: "with_password")
      let none = try await refusal(url, fleet.settings)
      #expect(none.message.contains("password"), "\(none)")
      let wrong = try await refusal(
        url.replacingOccurrences(of: "with_password@", with: "with_password:s3cret-wrong@"), fleet.settings)
      #expect(wrong.code == .notWritable && wrong.message.contains("refused the role"), "\(wrong)")
      #expect(!wrong.message.contains("s3cret"))
      let file = folder.url.appending(path: "passwords")
      try Data("127.0.0.1:*:*:with_password:s3cret-right".utf8).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
      let store = try await PostgresOutboxStore("\(url)?passfile=\(file.path)", settings: fleet.settings)
      #expect(!store.location.contains("s3cret"))
      await store.close()
      try await fleet.psql("DROP OWNED BY with_password; DROP ROLE with_password")
    }

    @Test func `a server's certificate is verified if the URL requires it`() async throws {
      let cluster = try await PostgresCluster()
      let fleet = try await Fleet(cluster)
      for name in ["server", "other"] {
        try await cluster.shell(
          """
          cd '\(cluster.folder.path)' && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
          -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 -keyout \(name).key -out \(name).pem 2>/dev/null
          """)
      }
      try await cluster.psql(
        """
        ALTER SYSTEM SET ssl_cert_file = '\(cluster.folder.path)/server.pem';
        ALTER SYSTEM SET ssl_key_file = '\(cluster.folder.path)/server.key';
        """)
      try await cluster.psql("ALTER SYSTEM SET ssl = on")
      try await cluster.psql("SELECT pg_reload_conf()")
      func url(_ authority: String) -> String {
        "\(cluster.url())?sslmode=verify-full&sslrootcert=\(cluster.folder.path)/\(authority).pem"
      }
      let store = try await PostgresOutboxStore(url("server"), settings: fleet.settings)
      let plain = try await cluster.psql(
        """
        SELECT count(*) FROM pg_stat_activity a JOIN pg_stat_ssl s ON s.pid = a.pid
        WHERE a.application_name = 'errand' AND NOT s.ssl
        """)
      #expect(plain.hasPrefix("0"))
      await store.close()
      let refused = try await refusal(url("other"), fleet.settings)
      #expect(refused.message.contains("certificate verify failed"), "\(refused)")
    }
  }
#endif
