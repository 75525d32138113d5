import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads data that a `ByteWriter` wrote. Any other input throws `Malformed`.
struct ByteReader {
  /// The bytes were not written by a `ByteWriter`.
  struct Malformed: Error {}

  private let bytes: [UInt8]
  private var position = 0

  init(_ data: Data) { bytes = Array(data) }

  var isAtEnd: Bool { position == bytes.count }

  mutating func byte() throws(Malformed) -> UInt8 {
    guard position < bytes.count else { throw Malformed() }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func number() throws(Malformed) -> Int64 {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      let byte = try byte()
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return Int64(bitPattern: number) }
    }
    throw Malformed()
  }

  /// Reads a number of elements, each of which takes at least one byte.
  mutating func count() throws(Malformed) -> Int {
    let number = try number()
    guard number >= 0, number <= Int64(bytes.count - position) else { throw Malformed() }
    return Int(number)
  }

  mutating func text() throws(Malformed) -> String {
    let slice = try slice(try count())
    // Many times as fast as `String(validating:)`, which instantiates its generic types at each call.
    let text = String(decoding: slice, as: UTF8.self)
    guard text.utf8.elementsEqual(slice) else { throw Malformed() }
    return text
  }

  mutating func data() throws(Malformed) -> Data { Data(try slice(try count())) }

  mutating func fields() throws(Malformed) -> HTTPFields {
    var fields = HTTPFields()
    for _ in 0..<(try count()) { fields.append(try text(), try text()) }
    return fields
  }

  mutating func raw(_ count: Int64) throws(Malformed) -> Data {
    guard count >= 0, count <= Int64(bytes.count - position) else { throw Malformed() }
    return Data(try slice(Int(count)))
  }

  private mutating func slice(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
    guard count <= bytes.count - position else { throw Malformed() }
    defer { position += count }
    return bytes[position..<position + count]
  }
}
