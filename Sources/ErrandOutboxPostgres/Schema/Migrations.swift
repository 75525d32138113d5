#if Postgres
  /// One step that brings a schema closer to its newest version.
  package struct PostgresMigration: Sendable, Hashable {
    /// The version of the schema after this step.
    package let version: Int
    /// A few words about the step's effect.
    package let name: String
    /// The oldest version that a program must know to work with the schema after this step.
    package let compatible: Int
    /// The statements, for any name of the schema.
    let sql: String

    init(_ version: Int, _ name: String, compatible: Int, sql: String) {
      self.version = version
      self.name = name
      self.compatible = compatible
      self.sql = sql
    }
  }

  extension Schema {
    /// All steps, in order. Workers of older versions keep working during a compatible step. A step that adds
    /// a column to `requests` also has to add it to `dead` and `history`, because complete rows move between
    /// these tables.
    static let migrations: [PostgresMigration] = [
      PostgresMigration(
        1, "tables and functions of the outbox", compatible: 1, sql: tables + "\n" + functions),
      // Its functions are among those of the next step.
      PostgresMigration(2, "functions that no setting changes", compatible: 1, sql: ""),
      PostgresMigration(
        3, "leases and signs of life that no clock of the server ends", compatible: 3,
        sql: "\(clockTable)\n\(lockTables)\nALTER TABLE errand.state DROP COLUMN IF EXISTS drift;\n"
          + "DROP FUNCTION IF EXISTS errand.pack_fields(jsonb);\n"
          // Without this, calls would be ambiguous between the old function and the new one with more
          // parameters.
          + "DROP FUNCTION IF EXISTS errand.add(bigint[], integer, bigint, bigint, integer, boolean, text[], text[], "
          + "text[], text[], bigint[], bigint[], bigint[], bigint[], bytea[], bytea[], bigint[], text[], text[], bigint[]);\n"
          + replacing(functions)),
      PostgresMigration(
        4, "retrying what is being attempted, and pages of what is over", compatible: 3,
        sql: decided(replacing(forcing)) + "\n" + pages),
      // Not compatible, because a worker of an older version would make a dead letter of each such request.
      PostgresMigration(
        5, "requests that accept several ranges of statuses", compatible: 5,
        sql: decided(replacing(checking))),
      PostgresMigration(
        6, "claims by programs that know the schema", compatible: 5, sql: decided(replacing(knowing))),
      // Compatible, because a worker of an older version sends such a request as any other.
      PostgresMigration(
        7, "uploads that resume, and rate limits", compatible: 5,
        sql: decided([uploads, rates, replacing(checking)].joined(separator: "\n"))),
      // Compatible, because the functions that programs call keep their parameters.
      PostgresMigration(
        8, "claims that look at each worker instead of each lease", compatible: 5,
        sql: replacing(decided([clock, claiming, endingLeases].joined(separator: "\n"))) + "\n"
          + "DROP FUNCTION IF EXISTS errand.free_from(bigint, bigint, bigint, integer, errand.requests, errand.workers);"
      ),
    ]

    private static let functions = decided(
      [
        clock, locks, basics, adding, ways, caps, makingRoom, choosing, choosingBehind, claiming,
        endingLeases, finishing, leasing, manual,
        reading,
        forgetting, enqueuing, checking, enqueueCalls, knowing,
      ].joined(separator: "\n"))

    /// Makes functions decide themselves about a name that is both a variable and a column. Otherwise a
    /// setting of the database decides it.
    private static func decided(_ sql: String) -> String {
      sql.split(separator: "LANGUAGE plpgsql", omittingEmptySubsequences: false).enumerated().map {
        index, part in
        guard index > 0, let body = part.firstRange(of: "$$") else { return String(part) }
        let rest = part[body.upperBound...]
        let isDecided = rest.drop { $0 == " " || $0 == "\n" }.hasPrefix("#variable_conflict")
        return part[..<body.upperBound] + (isDecided ? "" : "\n#variable_conflict error\n") + rest
      }.joined(separator: "LANGUAGE plpgsql")
    }

    /// Returns the SQL with functions that replace those of an earlier version.
    private static func replacing(_ sql: String) -> String {
      replace("CREATE FUNCTION", with: "CREATE OR REPLACE FUNCTION", in: sql)
    }
  }
#endif
