#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A value that is encoded as JSON each time its request is sent. Two are equal if Foundation's default encoder
/// makes the same of them.
final class JSONValue: Sendable, Hashable {
  let encode: @Sendable (JSONEncoder) throws -> Data

  init(_ encode: @escaping @Sendable (JSONEncoder) throws -> Data) { self.encode = encode }

  private var plain: Data? { try? encode(.plain) }

  static func == (left: JSONValue, right: JSONValue) -> Bool {
    if left === right { return true }
    guard let plain = left.plain else { return false }
    return plain == right.plain
  }

  func hash(into hasher: inout Hasher) { hasher.combine(plain) }
}

extension JSONEncoder {
  /// Foundation's encoder as it is, but for sorted keys.
  static let plain = JSONEncoder().sortingKeys

  /// Returns an encoder that also sorts keys. Otherwise Foundation writes the keys of an object in any order, and
  /// a request that is made again would be another one.
  ///
  /// The encoder itself may be in use elsewhere, so a copy is made; of a subclass none can be.
  var sortingKeys: JSONEncoder {
    guard type(of: self) == JSONEncoder.self, !outputFormatting.contains(.sortedKeys) else { return self }
    let encoder = JSONEncoder()
    encoder.outputFormatting = outputFormatting.union(.sortedKeys)
    encoder.dateEncodingStrategy = dateEncodingStrategy
    encoder.dataEncodingStrategy = dataEncodingStrategy
    encoder.nonConformingFloatEncodingStrategy = nonConformingFloatEncodingStrategy
    encoder.keyEncodingStrategy = keyEncodingStrategy
    encoder.userInfo = userInfo
    return encoder
  }
}
