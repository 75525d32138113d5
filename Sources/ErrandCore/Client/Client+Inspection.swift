#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Access for the inspector.
extension Client {
  /// Adds a listener to the calls that begin from now on.
  package func attach(_ listener: any EventListener) {
    pipeline.events.append(listener) {
      EventSource(pipeline.configuration, pipeline.timeline, adding: [listener])
    }
  }

  /// Returns the listener of this type that the client itself has; nil if it has no such listener.
  package func listener<Listener: EventListener>(_ type: Listener.Type) -> Listener? {
    pipeline.events.source?.made.lazy.compactMap { $0 as? Listener }.first
  }

  /// Sends the request of an event again, including its secrets.
  package func resend(_ request: EventRequest) async throws -> Response { try await send(request.original) }

  /// The newest cached responses, at most 1000.
  package func cachedRows() async -> [CachedRow] {
    let entries = (try? await pipeline.configuration.cache.list()) ?? []
    return entries.sorted { $0.date > $1.date }.prefix(1000).map(CachedRow.init)
  }

  /// The client's clock, which counts from when the client was made. Events use it, too.
  package var timeline: Timeline { pipeline.timeline }

  /// The client's wall clock.
  package var date: @Sendable () -> Date { pipeline.configuration.date }

  /// The time-out of requests that set none.
  package var timeout: Duration { pipeline.configuration.timeout }
  package var deadline: Duration? { pipeline.configuration.deadline }

  package var slotRows: SlotRows { SlotRows(pipeline.slots.load, pipeline.slots.limits) }
}

/// The slots of a client, as the inspector's page shows them.
package struct SlotRows: Sendable, Encodable {
  package let running: Int
  package let total: Int?
  package let perOrigin: Int?
  /// The number of waiting calls, by priority.
  package let waiting: [String: Int]

  init(_ load: SlotLoad, _ limits: ConcurrencyLimits) {
    running = load.running
    (total, perOrigin) = (limits.total, limits.perOrigin)
    waiting = Dictionary(uniqueKeysWithValues: Priority.allCases.map { ("\($0)", load.waiting($0)) })
  }
}

/// A cached response, as the inspector's page shows it.
package struct CachedRow: Sendable, Encodable {
  package let url: String
  package let status: Int
  /// Milliseconds since 1970.
  package let since: Double
  package let size: Int

  init(_ entry: CacheEntry) {
    (url, status, size) = (entry.url.absoluteString, entry.status.code, entry.size)
    since = entry.date.timeIntervalSince1970 * 1000
  }
}
