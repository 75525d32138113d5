/// Bytes from the kernel, in this machine's byte order. Reading beyond the end returns nil.
struct NetlinkBytes {
  private let bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }

  var all: [UInt8] { Array(bytes) }

  func prefix(_ count: Int) -> NetlinkBytes? {
    count <= bytes.count ? NetlinkBytes(bytes.prefix(count)) : nil
  }

  func dropFirst(_ count: Int) -> NetlinkBytes { NetlinkBytes(bytes.dropFirst(count)) }

  func uint8(_ offset: Int) -> UInt8? {
    offset < bytes.count ? bytes[bytes.startIndex + offset] : nil
  }

  func uint16(_ offset: Int) -> UInt16? {
    guard let low = uint8(offset), let high = uint8(offset + 1) else { return nil }
    return UInt16(littleEndian: UInt16(high) << 8 | UInt16(low))
  }

  func uint32(_ offset: Int) -> UInt32? {
    guard offset + 4 <= bytes.count else { return nil }
    let number = (0..<4).reversed().reduce(UInt32(0)) { number, place in
      number << 8 | UInt32(bytes[bytes.startIndex + offset + place])
    }
    return UInt32(littleEndian: number)
  }

  func int32(_ offset: Int) -> Int32? { uint32(offset).map(Int32.init(bitPattern:)) }

  /// The netlink attributes in these bytes, each with its type.
  var attributes: some Sequence<(type: UInt16, value: NetlinkBytes)> {
    sequence(state: self) { rest -> (type: UInt16, value: NetlinkBytes)? in
      let headerLength = 4
      guard let length = rest.uint16(0), length >= headerLength, let type = rest.uint16(2),
        let attribute = rest.prefix(Int(length))
      else { return nil }
      rest = rest.dropFirst(Self.aligned(Int(length)))
      // The two highest bits are flags (nested, network byte order).
      return (type & 0x3FFF, attribute.dropFirst(headerLength))
    }
  }
}
