import Testing

extension Trait where Self == ConditionTrait {
  /// For a test that opens the outbox's file a second time, or reads it. It is skipped on PostgreSQL.
  static var onlyOnSQLite: Self {
    #if Postgres
      .disabled(if: OutboxHarness.isOnPostgres, "it uses the file of the store on SQLite")
    #else
      .enabled(if: true)
    #endif
  }
}
