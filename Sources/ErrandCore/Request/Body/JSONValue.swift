#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A value that is encoded as JSON each time its request is sent. Two values are equal if Foundation's
/// default encoder, with sorted keys, gives the same bytes for them.
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
  /// Foundation's default encoder, with sorted keys.
  static let plain = JSONEncoder().sortingKeys

  /// Returns an encoder that also sorts keys. Otherwise Foundation writes the keys of an object in any order,
  /// and two equal requests would differ.
  ///
  /// It is a copy, because the encoder may be in use elsewhere. A subclass cannot be copied, and is returned
  /// itself.
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
