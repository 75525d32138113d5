/// Reads the distinguished encoding of ASN.1 (X.690), strictly: lengths are definite and as short as they can be.
struct DERReader<Bytes: Collection> where Bytes.Element == UInt8, Bytes.SubSequence == Bytes {
  private var rest: Bytes

  init(_ bytes: Bytes) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }

  /// Reads an element.
  /// - Returns: Its content; nil if the next element has another tag, is incomplete, or is not encoded strictly.
  mutating func read(_ tag: DER.Tag) -> Bytes? {
    var bytes = rest
    guard bytes.popFirst() == tag.rawValue, let first = bytes.popFirst() else { return nil }
    var length = Int(first)
    if first >= 0x80 {
      // No key has more than 2^24 bytes.
      let count = Int(first & 0x7F)
      guard 1...3 ~= count, bytes.count >= count else { return nil }
      length = bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
      bytes = bytes.dropFirst(count)
      guard length >= 0x80, length >> ((count - 1) * 8) > 0 else { return nil }
    }
    guard bytes.count >= length else { return nil }
    rest = bytes.dropFirst(length)
    return bytes.prefix(length)
  }

  /// Reads a sequence.
  mutating func readSequence() -> DERReader? { read(.sequence).map { DERReader($0) } }

  /// Reads an integer that is not negative.
  /// - Returns: Its bytes without leading zeros; empty for zero.
  mutating func readUnsigned() -> Bytes? {
    guard let bytes = read(.integer), let first = bytes.first, first < 0x80 else { return nil }
    guard first == 0 else { return bytes }
    let rest = bytes.dropFirst()
    if let second = rest.first, second < 0x80 { return nil }
    return rest
  }

  /// Reads a small integer that is not negative.
  mutating func readInt() -> Int? {
    guard let bytes = readUnsigned(), bytes.count < 8 else { return nil }
    return bytes.reduce(0) { $0 << 8 | Int($1) }
  }
}

/// Writes the distinguished encoding of ASN.1.
enum DER {
  enum Tag: UInt8 {
    case integer = 0x02
    case bitString = 0x03
    case octetString = 0x04
    case null = 0x05
    case objectIdentifier = 0x06
    case sequence = 0x30
    case context0 = 0xA0
    case context1 = 0xA1
  }

  static func element(_ tag: Tag, _ content: [UInt8]) -> [UInt8] {
    var length = [UInt8(truncatingIfNeeded: content.count)]
    if content.count >= 0x80 {
      var rest = content.count >> 8
      while rest > 0 {
        length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
        rest >>= 8
      }
      length.insert(0x80 | UInt8(length.count), at: 0)
    }
    return [tag.rawValue] + length + content
  }

  static func sequence(_ elements: [UInt8]...) -> [UInt8] { element(.sequence, elements.flatMap { $0 }) }

  /// - Parameter bytes: A number that is not negative, in network byte order.
  static func unsigned(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let digits = Array(bytes.drop { $0 == 0 })
    return element(.integer, digits.first.map { $0 < 0x80 } ?? false ? digits : [0] + digits)
  }
}
