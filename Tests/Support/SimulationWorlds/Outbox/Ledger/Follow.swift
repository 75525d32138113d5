import ErrandOutbox

/// A task that follows a request, and the events that it received.
struct Follow: Sendable {
  enum End: Sendable, Hashable {
    /// The stream of events ended.
    case over
    /// The outbox was closed before that, or the process has ended.
    case cut
  }

  let id: Int
  let row: OutboxID
  let process: String
  /// The number of steps when the follow began.
  let mark: Int
  var events: [OutboxEvent] = []
  /// The number of steps when the last event was received.
  var heard = 0
  var end: End?
}

extension Follow: CustomStringConvertible {
  var description: String { "the follower of \(row) in \(process)" }
}
