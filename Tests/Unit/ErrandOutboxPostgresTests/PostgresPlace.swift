#if Postgres
  import ErrandCore
  import ErrandOutbox
  import ErrandOutboxPostgres
  @testable import ErrandConformance
  import ErrandTesting
  import Foundation
  import PostgresCluster

  /// A dedicated schema in a database that the cases share.
  struct PostgresPlace: OutboxStoreConformance.Place {
    let isOneMachine = false
    private let schema = "s\(UInt64.random(in: 0...(.max)))"
    private let server = ServerClock()

    func open(_ clocks: OutboxStoreConformance.Clocks) async throws -> any OutboxStore {
      var settings = PostgresSettings()
      settings.schema = schema
      settings.connections = 2
      settings.time = { [server] in server.now(clocks) }

      return try await PostgresOutboxStore(try await PostgresCluster.shared().url(), settings: settings)
    }

    func abandon(_ store: any OutboxStore) async throws { await (store as? PostgresOutboxStore)?.abandon() }
  }

  /// The clock of a server that runs while a worker's machine is off. Its ticks continue, and never go back.
  private final class ServerClock: Sendable {
    private struct State {
      var ticks: Int64 = 1_000_000
      var seen: (date: Int64, uptime: Int64, starts: Int)?
    }

    private let state = Locked(State())

    func now(_ clocks: OutboxStoreConformance.Clocks) -> (ticks: Int64, wall: Int64) {
      let (date, uptime) = (clocks.date.milliseconds, Int64(clocks.uptime.wholeMilliseconds))
      let starts = clocks.starts
      return state.withLock { state in
        if let seen = state.seen {
          state.ticks += max(0, seen.starts == starts ? uptime - seen.uptime : date - seen.date)
        }
        state.seen = (date, uptime, starts)
        return (state.ticks, date)
      }
    }
  }
#endif
