/// A request to the kernel.
enum NetlinkRequest: Hashable, Sendable {
  /// Dumps all links.
  case links
  /// Dumps all routes, IPv4 and IPv6, of all tables.
  case routes

  /// Returns the message for the kernel. Its response bears the same number.
  func bytes(number: UInt32) -> [UInt8] {
    let type: UInt16 = self == .links ? 18 : 26
    // NLM_F_REQUEST and NLM_F_DUMP.
    let flags: UInt16 = 0x1 | 0x300
    // The family header; zeroes filter nothing out.
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
