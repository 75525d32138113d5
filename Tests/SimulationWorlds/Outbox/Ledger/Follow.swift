import ErrandOutbox

/// Somebody who follows a request, and what is heard.
struct Follow: Sendable {
  enum End: Sendable, Hashable {
    /// Nothing more will come.
    case over
    /// Its outbox was closed first, or its process is gone.
    case cut
  }

  let id: Int
  let row: OutboxID
  let process: String
  /// So many steps had happened when it was asked for.
  let mark: Int
  var events: [OutboxEvent] = []
  /// So many steps had happened when the last event was heard.
  var heard = 0
  var end: End?
}

extension Follow: CustomStringConvertible {
  var description: String { "who follows \(row) in \(process)" }
}
