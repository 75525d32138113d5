/// Zeros that hide how long the content is (RFC 8188, section 4.8).
public struct RecordPadding: Sendable, Hashable {
  enum Amount: Hashable {
    case bytes(Int)
    case multiple(Int)
  }

  /// The most padding that can be asked for: 16 MiB.
  public static let maximum = 16 << 20

  let amount: Amount

  /// No padding.
  public static let none = RecordPadding(amount: .bytes(0))

  /// So many zeros, of which as many as possible are in the first records. The others come at the end, all at once.
  /// - Parameter count: From 0 to `maximum`.
  public static func bytes(_ count: Int) -> RecordPadding { RecordPadding(amount: .bytes(count)) }

  /// Zeros after the content, until it and they are a multiple of a number of bytes.
  /// - Parameter count: From 1 to `maximum`.
  public static func toMultiple(of count: Int) -> RecordPadding { RecordPadding(amount: .multiple(count)) }

  var isValid: Bool {
    switch amount {
    case .bytes(let count): 0...Self.maximum ~= count
    case .multiple(let count): 1...Self.maximum ~= count
    }
  }
}
