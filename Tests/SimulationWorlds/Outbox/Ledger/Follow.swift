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
  var events: [OutboxEvent] = []
  var end: End?
}

extension Follow: CustomStringConvertible {
  var description: String { "who follows \(row) in \(process)" }
}
