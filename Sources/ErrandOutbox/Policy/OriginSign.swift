/// The sign that an attempt gives of its origin's health.
enum OriginSign: Sendable, Hashable {
  /// The origin responds, whatever it thinks of the request.
  case responded
  /// There was no response, or one that says that the server itself is in trouble.
  case failed(reason: String, hasResponded: Bool)
  /// The origin asked for a pause of this length.
  case busy(reason: String, for: Duration)
  /// The origin refuses the credentials.
  case unauthorized(reason: String)
  /// Nothing: the attempt was given back, or could not be sent.
  case none

  /// True if the origin may be held because of this sign.
  var mayHold: Bool { self != .responded && self != .none }
}
