/// A file in the outbox's folder that no row names yet. It is not swept while this value exists.
struct HeldFile: Sendable {
  let name: String
  /// The number of bytes of the body in the file.
  let length: Int64
  /// The number of bytes of the file.
  let size: Int64
  let hold: ContentHold
}
