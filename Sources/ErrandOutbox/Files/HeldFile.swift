/// A file in the outbox's folder that no row names yet. It is not swept as long as somebody has this.
struct HeldFile: Sendable {
  let name: String
  /// How many bytes of the body it holds.
  let length: Int64
  /// How many bytes it is.
  let size: Int64
  let hold: ContentHold
}
