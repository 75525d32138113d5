/// The requests of a round, the same for every client.
struct Work: Sendable {
  var url: String
  /// The requests in flight.
  var concurrency: Int
  /// The PEM file of the authorities to trust, for https.
  var authorities: String?
  /// The bytes that every request sends.
  var upload = 0
  /// The threads of Errand's transport; nil for their usual number.
  var threads: Int?
  /// True if a response is taken chunk by chunk.
  var streams = false
  /// The options of Errand's requests.
  var policies = Policies.none
}

/// Options that do not change what is sent.
enum Policies: String, CaseIterable {
  case none
  /// A scope, sharing, a priority, checks, retries, a deadline and an activity.
  case all
  /// Sharing alone: what it costs that a request goes on when its first caller is gone.
  case sharing
  /// All but sharing.
  case others
  /// None, but each request in a task that its caller waits for: a shared request needs one.
  case task
}
