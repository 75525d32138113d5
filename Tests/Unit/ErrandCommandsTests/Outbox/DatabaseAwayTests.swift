#if Postgres
  import ErrandTesting
  import Foundation
  import PostgresCluster
  import Programs
  import TestSupport
  import Testing

  /// Runs from cron while the database is unavailable: each reports that and fails, and none waits forever.
  @Suite(.timeLimit(.minutes(2))) struct DatabaseAwayTests {
    private func run(_ url: String) throws -> Running {
      try Running(Tool.path, ["outbox", "run", "--once", "--grace", "1s", "--store", url])
    }

    @Test func `a single run with a stopped server fails, and says what to do`() async throws {
      let result = try await run("postgres://me:s3cret@127.0.0.1:\(FreePort.take())/app").result()
      #expect(result.code == 6 && result.text == "")
      #expect(
        result.error.contains("cannot be reached") && result.error.contains("check that the server runs"))
      #expect(!result.error.contains("s3cret"))
    }

    @Test func `a single run with a silent host fails`() async throws {
      let silent = try SilentListener()
      let result = try await run("postgres://127.0.0.1:\(silent.port)/app").result()
      #expect(result.code == 6 && result.error.contains("cannot be reached"))
    }

    @Test func `a single run fails when its server is stopped during an attempt, and nothing is lost`()
      async throws
    {
      let (cluster, server) = (try await PostgresCluster(isDurable: true), try MockServer())
      server.script("/", [.stall, .response()])
      let url = cluster.url()
      let stored = try await Tool.run(
        "post", "\(server.url("/"))", "-d", "x", "--guaranteed", "--detach", "--store", url)
      #expect(stored.code == 0)
      let running = try run(url)
      try await server.waitForWholeRequest()
      try await cluster.stop(.immediate)
      let result = try await running.result()
      #expect(result.code == 6 && result.error.contains("cannot be reached"))
      #expect(result.error.contains("* no request was delivered"))
      try await cluster.start()
      let freed = try await Tool.run("outbox", "retry", "--all", "--force", "--store", url)
      #expect(freed.code == 0 && freed.text.hasPrefix("retried: "))
      let again = try await Tool.run("outbox", "run", "--once", "--store", url)
      #expect(again.code == 0 && again.error.contains("* 1 delivered"))
      try await cluster.stop(.fast)
    }
  }
#endif
