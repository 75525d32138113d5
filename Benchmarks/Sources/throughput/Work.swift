/// The requests of a round, which are the same for every client.
struct Work: Sendable {
  var url: String
  /// The number of requests in flight.
  var concurrency: Int
  /// The PEM file of the certificate authorities to trust, for https.
  var authorities: String?
  /// The number of body bytes that every request sends; 0 for GET requests.
  var upload = 0
  /// The number of threads of Errand's transport; nil for the default.
  var threads: Int?
  /// True to receive responses as streams.
  var streams = false
  /// The options of Errand's requests.
  var policies = Policies.none
}

/// Options of a request that do not change the sent bytes.
enum Policies: String, CaseIterable {
  case none
  /// A scope, sharing, a priority, checks, retries, a deadline and an activity.
  case all
  /// Only sharing, with which a request continues without its first caller.
  case sharing
  /// All of these options except sharing.
  case others
  /// No option, but each request in a task that its caller waits for, as sharing needs.
  case task
}
