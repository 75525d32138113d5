/// Identifies a stored request, in every process and for as long as anything is known of it.
public struct OutboxID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  public var description: String { rawValue }

  /// Compares the bytes, as file systems compare names: two Unicode forms of one letter are different.
  public static func == (left: OutboxID, right: OutboxID) -> Bool {
    left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    var value = rawValue
    value.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
