#if Postgres
  /// The settings of a store on PostgreSQL.
  public struct PostgresSettings: Sendable {
    /// The schema of the outbox's tables: 1 to 40 small letters, digits and `_`. Default: `errand`.
    public var schema = "errand"
    /// The most connections to the server, without the one that listens. They are made when they are needed.
    /// Default: 4.
    public var connections = 4
    /// How long a call waits for the server, be it away or slow, before it fails. What was stored before is
    /// not affected. Nil to wait as long as it takes. Default: 30 s.
    public var deadline: Duration? = .seconds(30)
    /// How long after its last sign of life a worker counts as gone: its requests are free then. It gives a
    /// sign four times as often. At least 1 s. Default: 30 s.
    public var absence: Duration = .seconds(30)
    /// The longest time between two looks for what others have changed: the store begins with 50 ms, and
    /// looks less often while nothing happens. Default: 1 s.
    public var pollInterval: Duration = .seconds(1)
    /// True to be woken by notifications, over a connection of their own. They do not pass pgbouncer in
    /// transaction mode: then looking alone finds what others have changed, a little later. Default: true.
    public var listens = true
    /// True to bring the schema to its newest version when the store is opened, as `migrate` does. Default:
    /// true.
    public var migrates = true
    /// The name of this worker, for people. Default: the machine's name and the process's number.
    public var workerName: String?
    /// The time of the test; nil for the server's clock. Milliseconds: ticks and wall clock.
    package var time: (@Sendable () -> (ticks: Int64, wall: Int64))?
    /// The migrations that the program knows.
    var migrations = Schema.migrations

    public init() {}
  }
#endif
