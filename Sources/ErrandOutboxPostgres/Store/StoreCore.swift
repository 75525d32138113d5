#if Postgres
  import ErrandCore
  import ErrandOutbox

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// The statements of a store, with their parameters and the meaning of their results.
  final class StoreCore: Sendable {
    struct State {
      var isClosed = false
      /// True if the worker is known to the others.
      var hasArrived = false
      /// The leases that were claimed and not finished. `mayHaveUnknown` is true if a claim's outcome is
      /// unknown.
      var claimed: Set<Int64> = []
      var mayHaveUnknown = false
      var isClaiming = false
      var waitingClaims: [CheckedContinuation<Void, Never>] = []
      var onNotification: (@Sendable () -> Void)?
    }

    let link: PostgresLink
    let schema: Schema
    let settings: PostgresSettings
    /// The number of this store, unique among all stores that have ever used the schema.
    let owner: Int64
    let clock: Locked<FleetClock>
    let state: Locked<State>

    private init(
      _ link: PostgresLink, _ schema: Schema, _ settings: PostgresSettings, _ owner: Int64,
      _ clock: consuming Locked<FleetClock>, _ state: consuming Locked<State>
    ) {
      self.link = link
      self.schema = schema
      self.settings = settings
      self.owner = owner
      self.clock = clock
      self.state = state
    }

    static func connect(
      _ url: String, _ settings: PostgresSettings, channel: Notifications?
    ) async throws -> (PostgresLink, Migrator) {
      let (url, schema) = (try PostgresURL(url), try Schema(settings.schema))
      let link = try PostgresLink(
        url, connections: settings.connections, deadline: settings.deadline,
        channel: channel == nil ? nil : schema.channel
      ) { channel?.hear() }
      do {
        try await check(link)
        return (link, Migrator(link: link, schema: schema, migrations: settings.migrations))
      } catch {
        link.close {}
        throw error
      }
    }

    static func open(_ url: String, _ settings: PostgresSettings) async throws -> StoreCore {
      let notifications = settings.listens ? Notifications() : nil
      let (link, migrator) = try await connect(url, settings, channel: notifications)
      do {
        if settings.migrates {
          _ = try await migrator.migrate()
        } else if let missing = try await migrator.pending().first {
          throw OutboxError(
            .notWritable,
            "the schema \(settings.schema) in \(link.url) lacks \(missing.name): run `errand outbox migrate` first"
          )
        }
        let sent = link.now
        let answer = try await link.run(
          PostgresQuery(
            migrator.schema.named("SELECT nextval('errand.owners'), ticks, drift FROM errand.read_clock()"),
            isRepeatable: true))
        let reading = FleetClock.Reading(
          sent: sent, received: link.now, ticks: answer.first?.integer(1) ?? 0,
          drift: answer.first?.integer(2) ?? 0)
        let clock = FleetClock(reading, absence: absence(of: settings))
        let core = StoreCore(
          link, migrator.schema, settings, answer.first?.integer(0) ?? 0, Locked(clock), Locked(State()))
        notifications?.set { [weak core] in core?.state.withLock { $0.onNotification }?() }
        return core
      } catch {
        link.close {}
        throw error
      }
    }

    /// - Throws: `OutboxError` if the store cannot use the server or the database.
    private static func check(_ link: PostgresLink) async throws {
      let answer = try await link.run(
        PostgresQuery(
          """
          SELECT current_setting('server_version_num')::bigint, current_setting('server_encoding'),
            pg_is_in_recovery()
          """, isRepeatable: true))
      guard let row = answer.first else { throw OutboxError(.failed, "\(link.url) returned no row") }
      guard row.integer(0) >= 150_000 else {
        throw OutboxError(
          .failed,
          "\(link.url) is PostgreSQL \(row.integer(0) / 10_000), but an outbox needs version 15 or later")
      }
      guard row.text(1) == "UTF8" else {
        throw OutboxError(
          .notWritable,
          "\(link.url) has the encoding \(row.text(1) ?? "?"), which cannot hold every text: create a database with "
            + "ENCODING 'UTF8' TEMPLATE template0")
      }
      guard !row.bool(2) else {
        throw OutboxError(
          .notWritable, "\(link.url) is a standby, which cannot be written: use the URL of the primary server"
        )
      }
    }

    /// How long after its last sign of life this worker counts as gone.
    var absence: Duration { Self.absence(of: settings) }

    private static func absence(of settings: PostgresSettings) -> Duration {
      max(settings.absence, .seconds(1))
    }

    // MARK: Statements

    func run(
      _ sql: String, _ values: [PostgresValue], isRepeatable: Bool = false, within limit: Duration? = nil
    ) async throws -> PostgresAnswer {
      try await link.run(query(sql, values, isRepeatable: isRepeatable), within: limit)
    }

    func query(_ sql: String, _ values: [PostgresValue], isRepeatable: Bool = false) -> PostgresQuery {
      PostgresQuery(schema.named(sql), values, isRepeatable: isRepeatable)
    }

    // MARK: The end

    func checkOpen() throws(OutboxError) {
      if state.withLock({ $0.isClosed }) { throw .closedStore }
    }

    /// Refuses all further calls.
    /// - Returns: False if the store was closed before.
    func close() -> Bool {
      state.withLock { state in
        defer { state.isClosed = true }
        return !state.isClosed
      }
    }

    /// The longest time that closing waits for the server.
    private static let leaveLimit = Duration.seconds(5)

    /// Gives back all claimed rows.
    func leave() async {
      guard state.withLock({ $0.hasArrived }) else { return }
      let end = link.now + Self.leaveLimit
      let owner = PostgresValue.integer(owner)
      let statements: [(sql: String, values: [PostgresValue])] = [
        ("SELECT errand.give_back($1::integer, '{}')", [owner]),
        ("DELETE FROM errand.workers WHERE id = $1", [owner]),
        ("SELECT errand.wake()", []),
      ]
      for (sql, values) in statements {
        _ = try? await run(sql, values, isRepeatable: true, within: max(.zero, end - link.now))
      }
    }

    /// Lets other workers see that this worker is gone.
    func vanish() async {
      _ = try? await run(
        "DELETE FROM errand.workers WHERE id = $1", [.integer(owner)], isRepeatable: true)
    }
  }

  /// Passes notifications to a store that is created after its link.
  final class Notifications: Sendable {
    private let handler = Locked<(@Sendable () -> Void)?>(nil)

    func set(_ handler: @escaping @Sendable () -> Void) { self.handler.withLock { $0 = handler } }
    func hear() { handler.withLock { $0 }?() }
  }
#endif
