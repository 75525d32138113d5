/// What others have to know of an origin.
enum OriginChange: Sendable, Hashable {
  case hold(OriginHold.Kind, reason: String, for: Duration)
  case release
}
