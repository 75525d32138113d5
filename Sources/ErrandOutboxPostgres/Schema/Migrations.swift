#if Postgres
  /// One step of a schema's way to its newest version.
  public struct PostgresMigration: Sendable, Hashable {
    /// The schema's version after it.
    public let version: Int
    /// What it does, in a few words.
    public let name: String
    /// Programs of this version of the schema and later ones work with it.
    public let compatible: Int
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
    /// Every step, in order. Workers of older versions go on during a step that is compatible with them: a column
    /// that it adds to `requests` it adds to `dead` and `history`, too, which rows pass through whole.
    static let migrations: [PostgresMigration] = [
      PostgresMigration(
        1, "tables and functions of the outbox", compatible: 1, sql: tables + "\n" + functions),
      // Its functions are among those of the next one.
      PostgresMigration(2, "functions that no setting changes", compatible: 1, sql: ""),
      PostgresMigration(
        3, "leases and signs of life that no clock of the server ends", compatible: 3,
        sql: "\(clockTable)\n\(lockTables)\nALTER TABLE errand.state DROP COLUMN IF EXISTS drift;\n"
          + "DROP FUNCTION IF EXISTS errand.pack_fields(jsonb);\n"
          // Beside the new one, which has more parameters, a call would not say which it means.
          + "DROP FUNCTION IF EXISTS errand.add(bigint[], integer, bigint, bigint, integer, boolean, text[], text[], "
          + "text[], text[], bigint[], bigint[], bigint[], bigint[], bytea[], bytea[], bigint[], text[], text[], bigint[]);\n"
          + replacing(functions)),
      PostgresMigration(
        4, "retrying what is being attempted, and pages of what is over", compatible: 3,
        sql: decided(replacing(forcing)) + "\n" + pages),
    ]

    private static let functions = decided(
      [
        clock, locks, basics, adding, ways, caps, makingRoom, choosing, choosingBehind, claiming,
        endingLeases, finishing, leasing, manual,
        reading,
        forgetting, enqueuing, checking, enqueueCalls,
      ].joined(separator: "\n"))

    /// Lets functions decide by themselves what a name means that is both a variable's and a column's: a setting of the
    /// database decides it otherwise.
    private static func decided(_ sql: String) -> String {
      sql.split(separator: "LANGUAGE plpgsql", omittingEmptySubsequences: false).enumerated().map {
        index, part in
        guard index > 0, let body = part.firstRange(of: "$$") else { return String(part) }
        let rest = part[body.upperBound...]
        let isDecided = rest.drop { $0 == " " || $0 == "\n" }.hasPrefix("#variable_conflict")
        return part[..<body.upperBound] + (isDecided ? "" : "\n#variable_conflict error\n") + rest
      }.joined(separator: "LANGUAGE plpgsql")
    }

    /// Functions that take the places of those of an earlier version.
    private static func replacing(_ sql: String) -> String {
      replace("CREATE FUNCTION", with: "CREATE OR REPLACE FUNCTION", in: sql)
    }
  }
#endif
