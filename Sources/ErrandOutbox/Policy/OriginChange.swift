/// A change of an origin that other processes have to know.
enum OriginChange: Sendable, Hashable {
  case hold(OriginHold.Kind, reason: String, for: Duration)
  case release
}
