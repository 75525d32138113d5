/// The sign that an attempt gives of its origin's health.
enum OriginSign: Sendable, Hashable {
  /// The origin responds, whether or not it accepts the request.
  case responded
  /// No response arrived, or the response reports a failure of the server itself.
  case failed(reason: String, Trouble)
  /// The origin asked for a pause of this length.
  case busy(reason: String, for: Duration)
  /// The origin refuses the credentials.
  case unauthorized(reason: String)
  /// The client has no credential for the origin.
  case withoutCredential(reason: String)
  /// The rate limit of the origin allows the next attempt only after this time.
  case overRate(wait: Duration)
  /// No sign: the attempt was given back, or could not be sent.
  case none

  enum Trouble: Sendable, Hashable {
    /// The server responded, with a status of 500 or above.
    case responded
    /// The server received the request and did not respond. The request may be the reason.
    case silent
    /// The request did not reach the server.
    case unreachable
  }

  /// True if the origin may be held because of this sign.
  var mayHold: Bool {
    switch self {
    case .responded, .overRate, .none: false
    case .failed, .busy, .unauthorized, .withoutCredential: true
    }
  }
}
