import ErrandCore
import ErrandOutbox

#if Postgres
  import ErrandOutboxPostgres
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The URL of a PostgreSQL database. Its description does not show the password.
struct DatabaseURL: Sendable, Hashable, CustomStringConvertible {
  /// The whole URL, possibly with a password, for libpq only.
  private let text: String

  /// Returns nil if the text does not begin with `postgres:` or `postgresql:`.
  init?(_ text: String) {
    let lowercased = ASCII.lowercased(text)
    guard ["postgres:", "postgresql:"].contains(where: lowercased.hasPrefix) else { return nil }
    self.text = text
  }

  /// The URL without its user, its password and any other secret. It also hides a password with a `/` or an `@`
  /// that should have been percent-encoded.
  var description: String { Secrets(queryItems: ["sslpassword"]).redactAnything(text) }

  #if Postgres
    /// Opens the outbox in the database.
    /// - Parameter patience: How long a call waits for a database that does not respond; nil for the default.
    func open(
      _ client: Client, _ configuration: OutboxConfiguration, patience: Duration?
    ) async throws -> Outbox {
      var settings = PostgresSettings()
      if !configuration.delivers { settings.deadline = Self.patience }
      if let patience { settings.deadline = patience }
      return try await Outbox(
        store: PostgresOutboxStore(text, settings: settings), client: client, configuration: configuration)
    }

    /// Returns the processes that deliver from the database, in the order in which they registered.
    func workers() async throws -> [WorkerRecord] {
      let store = try await PostgresOutboxStore(text, settings: Self.forReading)
      do {
        let workers = try await store.workers()
        await store.close()
        return workers.map { worker in
          WorkerRecord(
            id: worker.id, name: worker.name, isAlive: worker.isAlive, started: worker.started,
            silence: worker.silence.seconds, requests: worker.attempting, lanes: worker.lanes,
            oldestClaim: worker.oldestClaim)
        }
      } catch {
        await store.close()
        throw error
      }
    }

    /// Brings the tables to the newest version.
    /// - Returns: A line for each step that was done, or would be done by a dry run.
    func migrate(isDryRun: Bool) async throws -> [String] {
      try await PostgresOutboxStore.migrate(text, dryRun: isDryRun).map { "\($0.version): \($0.name)" }
    }

    /// How long a command that reads or stores waits for a database that does not respond, because a user is
    /// waiting.
    private static var patience: Duration { .seconds(5) }

    /// The settings for a command that only reads.
    private static var forReading: PostgresSettings {
      var settings = PostgresSettings()
      settings.migrates = false
      settings.listens = false
      settings.connections = 1
      settings.deadline = patience
      return settings
    }
  #else
    func open(
      _ client: Client, _ configuration: OutboxConfiguration, patience: Duration?
    ) async throws -> Outbox {
      throw Self.isMissing
    }

    func workers() async throws -> [WorkerRecord] { throw Self.isMissing }

    func migrate(isDryRun: Bool) async throws -> [String] { throw Self.isMissing }

    private static var isMissing: CommandFailure {
      CommandFailure(
        .usage, "noPostgres", "this errand was built without support for PostgreSQL",
        hint: "Build it with make build, or with swift build --traits Postgres --product errand.")
    }
  #endif
}
