#if Postgres
  /// The settings of a store on PostgreSQL.
  public struct PostgresSettings: Sendable {
    /// The schema of the outbox's tables: 1 to 40 small letters, digits and `_`, not beginning with a digit.
    /// Default: `errand`.
    public var schema = "errand"
    /// The most connections to the server, not counting the one that listens. They are made when they are
    /// needed. Default: 4.
    public var connections = 4
    /// How long a call waits for a server that is slow or cannot be reached, before the call fails. Requests
    /// that are stored already are not affected. Nil for no limit. Default: 30 s.
    public var deadline: Duration? = .seconds(30)
    /// How long after its last sign of life a worker counts as gone, so that its requests are free. A worker
    /// gives a sign of life four times as often. At least 1 s. Default: 30 s.
    public var absence: Duration = .seconds(30)
    /// The longest pause between two looks for changes of other workers. The store begins with 50 ms, and
    /// looks less often while nothing happens. Default: 1 s.
    public var pollInterval: Duration = .seconds(1)
    /// True to be woken by notifications, over an extra connection. They do not pass through pgbouncer in
    /// transaction mode. Without them, the store finds the changes of other workers at its next look.
    /// Default: true.
    public var listens = true
    /// True to bring the schema to its newest version when the store is opened, as `migrate` does.
    /// Default: true.
    public var migrates = true
    /// The name of this worker, to be shown. Default: nil, for the machine's name and the process's number.
    public var workerName: String?
    /// The time in a test; nil for the server's clock. Milliseconds: ticks and wall clock.
    package var time: (@Sendable () -> (ticks: Int64, wall: Int64))?
    /// The migrations that the program knows.
    var migrations = Schema.migrations

    /// Creates settings with the default values.
    public init() {}
  }
#endif
