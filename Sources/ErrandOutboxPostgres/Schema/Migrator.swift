#if Postgres
  import ErrandOutbox

  /// Brings a schema to its newest version, in one transaction under a lock of its migrations.
  struct Migrator: Sendable {
    let link: PostgresLink
    let schema: Schema
    let migrations: [PostgresMigration]

    /// The newest version that this program knows.
    var newest: Int { migrations.last?.version ?? 0 }

    /// Returns the pending migrations.
    /// - Throws: `OutboxError.tooNew` if the schema of a newer program does not work with this one.
    func pending() async throws -> [PostgresMigration] {
      let (version, compatible) = try await versions()
      guard compatible <= newest else {
        throw OutboxError(
          .tooNew,
          "a newer version of Errand made the schema \(schema.name) in \(link.url) (version \(version), for programs from "
            + "\(compatible) on; this one knows \(newest)): use that version; nothing was changed")
      }
      return migrations.filter { $0.version > version }
    }

    /// Returns the version of the schema, and the oldest version of programs that work with it.
    private func versions() async throws -> (version: Int, compatible: Int) {
      let there = try await link.run(
        PostgresQuery(
          schema.named("SELECT to_regclass('errand.migrations') IS NOT NULL"), isRepeatable: true))
      guard there.first?.bool(0) ?? false else { return (0, 0) }
      let answer = try await link.run(
        PostgresQuery(
          schema.named("SELECT max(version), max(compatible) FROM errand.migrations"), isRepeatable: true))
      return (Int(answer.first?.integer(0) ?? 0), Int(answer.first?.integer(1) ?? 0))
    }

    /// Runs the pending migrations.
    /// - Returns: The migrations that were done.
    func migrate() async throws -> [PostgresMigration] {
      let pending = try await pending()
      guard !pending.isEmpty else { return [] }
      _ = try await link.run(PostgresQuery(statement(for: pending), isRepeatable: true))
      return pending
    }

    /// Returns one statement, and thus one transaction. Another program may migrate at the same time, so each
    /// step checks whether it was done.
    private func statement(for migrations: [PostgresMigration]) -> String {
      let steps = migrations.map { migration in
        """
        IF NOT EXISTS (SELECT FROM errand.migrations WHERE version >= \(migration.version)) THEN
          EXECUTE $errand_step$
        \(migration.sql)
        $errand_step$;
          INSERT INTO errand.migrations(version, name, compatible)
            VALUES (\(migration.version), '\(migration.name)', \(migration.compatible));
        END IF;
        """
      }
      return schema.named(
        """
        DO $errand_migration$ BEGIN
          PERFORM set_config('search_path', 'pg_catalog, pg_temp', true);
          PERFORM set_config('standard_conforming_strings', 'on', true);
          -- Another program may make the same at the same time: this waits for it, and then finds it.
          IF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = '\(schema.name)') THEN
            BEGIN
              CREATE SCHEMA "\(schema.name)";
            EXCEPTION WHEN unique_violation OR duplicate_schema THEN NULL;
            END;
          END IF;
          IF NOT EXISTS (SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = '\(schema.name)' AND c.relname = 'migrations')
          THEN
            BEGIN
              CREATE TABLE errand.migrations(
                version integer PRIMARY KEY, name text NOT NULL, compatible integer NOT NULL,
                done timestamptz NOT NULL DEFAULT clock_timestamp());
            EXCEPTION WHEN unique_violation OR duplicate_table THEN NULL;
            END;
          END IF;
          -- No advisory lock: any role that may connect could hold it.
          LOCK TABLE errand.migrations IN SHARE ROW EXCLUSIVE MODE;
        \(steps.joined(separator: "\n"))
        END $errand_migration$
        """)
    }
  }
#endif
