/// The requests of a round, the same for every client.
struct Work: Sendable {
  var url: String
  /// The requests in flight.
  var concurrency: Int
  /// The PEM file of the authorities to trust, for https.
  var authorities: String?
  /// The bytes that every request sends.
  var upload = 0
  /// True if a response is taken chunk by chunk.
  var streams = false
  /// True if Errand's requests have all options that do not change what is sent.
  var hasPolicies = false
}
