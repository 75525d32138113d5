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

/// The URL of a PostgreSQL database. Its description has no password.
struct DatabaseURL: Sendable, Hashable, CustomStringConvertible {
  /// The whole URL, with its password if it has one: for libpq only.
  private let text: String

  /// - Returns: Nil for text that is no URL of PostgreSQL's.
  init?(_ text: String) {
    let lowercased = ASCII.lowercased(text)
    guard ["postgres:", "postgresql:"].contains(where: lowercased.hasPrefix) else { return nil }
    self.text = text
  }

  /// The URL without its user, its password and any other secret. A password with a `/` or an `@` in it that
  /// should have been percent-encoded is no part of it either.
  var description: String { Secrets(queryItems: ["sslpassword"]).redactAnything(text) }

  #if Postgres
    /// Opens the outbox in the database.
    func open(_ client: Client, _ configuration: OutboxConfiguration) async throws -> Outbox {
      try await Outbox(
        store: PostgresOutboxStore(text), client: client, configuration: configuration)
    }
  #else
    func open(_ client: Client, _ configuration: OutboxConfiguration) async throws -> Outbox {
      throw Self.isMissing
    }

    func workers() async throws -> [WorkerRecord] { throw Self.isMissing }

    func migrate(isDryRun: Bool) async throws -> [String] { throw Self.isMissing }

    private static var isMissing: CommandFailure {
      CommandFailure(
        .usage, "noPostgres", "this errand was built without PostgreSQL",
        hint: "make build builds one with it, as does swift build --traits Postgres --product errand.")
    }
  #endif
}
