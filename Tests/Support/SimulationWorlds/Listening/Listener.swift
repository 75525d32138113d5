import ErrandCore

/// A simulated user who listens to an event stream.
struct Listener: Sendable {
  enum End: Sendable, Hashable {
    /// The server has ended the stream.
    case over
    case failed(RequestError.Code)
  }

  let id: Int
  let host: String
  /// The number of events that the server has.
  let count: Int
  let began: Duration
  /// The data of the events, in the order of their arrival.
  var events: [String] = []
  /// The time at which the user was cancelled; nil if it was not.
  var left: Duration?
  var end: (time: Duration, end: End)?
}

extension Listener: CustomStringConvertible {
  var description: String { "listener #\(id) to \(count) events of \(host)" }
}
