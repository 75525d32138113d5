/// What the kernel can be asked for.
enum NetlinkRequest: Hashable, Sendable {
  /// All links.
  case links
  /// All routes, IPv4 and IPv6, of all tables.
  case routes

  /// As the kernel reads it. Its answer bears the number.
  func bytes(number: UInt32) -> [UInt8] {
    let type: UInt16 = self == .links ? 18 : 26
    // A request for all there is.
    let flags: UInt16 = 0x1 | 0x300
    // What is asked for may be narrowed down here; zeroes leave it wide.
    let filter = [UInt8](repeating: 0, count: self == .links ? 16 : 12)
    let sender: UInt32 = 0
    return Self.bytes(UInt32(16 + filter.count)) + Self.bytes(type) + Self.bytes(flags) + Self.bytes(number)
      + Self.bytes(sender) + filter
  }

  private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    let number = number.littleEndian
    return (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}
