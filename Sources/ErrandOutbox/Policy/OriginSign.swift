/// What an attempt tells about the server that it was for.
enum OriginSign: Sendable, Hashable {
  /// It answers, whatever it thinks of the request.
  case answered
  /// There was no answer, or one that says that the server itself is in trouble.
  case failed(reason: String, hasAnswered: Bool)
  /// It wants to be left alone for so long.
  case busy(reason: String, for: Duration)
  /// It refuses the credentials.
  case unauthorized(reason: String)
  /// Nothing: the attempt was given back, or could not be sent.
  case none
}
