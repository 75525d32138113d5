/// Zeros that hide how long the content is (RFC 8188, section 4.8).
public struct RecordPadding: Sendable, Hashable {
  enum Amount: Hashable {
    case bytes(Int)
    case multiple(Int)
  }

  /// The most bytes of padding: 16 MiB.
  package static let maximum = 16 << 20

  let amount: Amount

  /// No padding.
  public static let none = RecordPadding(amount: .bytes(0))

  /// Returns padding of `count` zeros. The first records hold as many of them as possible. The others come at
  /// the end.
  /// - Parameter count: The number of bytes, from 0 to `maximum`.
  public static func bytes(_ count: Int) -> RecordPadding { RecordPadding(amount: .bytes(count)) }

  /// Returns padding that follows the content until their total length is a multiple of `count`.
  /// - Parameter count: The number of bytes, from 1 to `maximum`.
  public static func toMultiple(of count: Int) -> RecordPadding { RecordPadding(amount: .multiple(count)) }

  var isValid: Bool {
    switch amount {
    case .bytes(let count): 0...Self.maximum ~= count
    case .multiple(let count): 1...Self.maximum ~= count
    }
  }
}
