/// For the inspector.
extension Client {
  /// Adds a listener, which is told of the calls that begin from now on.
  package func attach(_ listener: any EventListener) {
    pipeline.events.append(listener) {
      EventSource(pipeline.configuration, pipeline.timeline, adding: [listener])
    }
  }

  /// Sends the request of an event once more, with its secrets.
  package func resend(_ request: EventRequest) async throws -> Response { try await send(request.original) }

  package var slotRows: SlotRows { SlotRows(pipeline.slots.load, pipeline.slots.limits) }
}

/// The slots of a client, as a page shows them.
package struct SlotRows: Sendable, Encodable {
  package let running: Int
  package let total: Int?
  package let perOrigin: Int?
  /// The number of calls that wait, by priority.
  package let waiting: [String: Int]

  init(_ load: SlotLoad, _ limits: ConcurrencyLimits) {
    running = load.running
    (total, perOrigin) = (limits.total, limits.perOrigin)
    waiting = Dictionary(uniqueKeysWithValues: Priority.allCases.map { ("\($0)", load.waiting($0)) })
  }
}
