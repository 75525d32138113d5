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
        1, "tables and functions of the outbox", compatible: 1,
        sql: [
          tables, basics, adding, makingRoom, choosing, claiming, endingLeases, finishing, leasing, manual,
          reading,
          forgetting, enqueuing, checking, enqueueCalls,
        ].joined(separator: "\n"))
    ]
  }
#endif
