/// One message of the kernel about links and routes: netlink(7), rtnetlink(7).
struct NetlinkMessage: Hashable, Sendable {
  enum Content: Hashable, Sendable {
    case link(NetworkLink)
    case linkGone(Int32)
    case route(NetworkRoute)
    case routeGone(NetworkRoute)
    /// The end of a dump: 0, or the error that interrupted it.
    case end(Int32)
    /// A message that is not needed, or not understood.
    case other
  }

  /// The sequence number of the request that caused the message. The number of an event is arbitrary: it
  /// belongs to the process that caused the change.
  var number: UInt32
  /// True if the message is part of the response to a request.
  var isReply: Bool
  /// True if the kernel's tables changed during the dump, so that the dump may be wrong.
  var isInconsistent = false
  var content: Content
}

/// A request to the kernel.
enum NetlinkRequest: Hashable, Sendable {
  /// Dumps all links.
  case links
  /// Dumps all routes, IPv4 and IPv6, of all tables.
  case routes

  /// Returns the message for the kernel. Its response has the same number.
  func bytes(number: UInt32) -> [UInt8] {
    let type: UInt16 = self == .links ? 18 : 26
    // NLM_F_REQUEST and NLM_F_DUMP.
    let flags: UInt16 = 0x1 | 0x300
    // The family header. Zeros exclude nothing.
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

/// Reads the kernel's messages one by one. It terminates for any bytes. Truncated or malformed messages are skipped.
struct NetlinkReader: Sequence, IteratorProtocol {
  private enum MessageType {
    static let error: UInt16 = 2
    static let done: UInt16 = 3
    static let newLink: UInt16 = 16
    static let linkGone: UInt16 = 17
    static let newRoute: UInt16 = 24
    static let routeGone: UInt16 = 25
  }

  private static let headerLength = 16
  private static let multipart: UInt16 = 0x2
  private static let interrupted: UInt16 = 0x10

  private var rest: NetlinkBytes

  init(_ bytes: [UInt8]) { rest = NetlinkBytes(bytes[...]) }

  mutating func next() -> NetlinkMessage? {
    guard let length = rest.uint32(0), length >= Self.headerLength, let message = rest.prefix(Int(length)),
      let type = message.uint16(4), let flags = message.uint16(6), let number = message.uint32(8)
    else { return nil }
    rest = rest.dropFirst(NetlinkBytes.aligned(Int(length)))
    let isEnd = type == MessageType.error || type == MessageType.done
    return NetlinkMessage(
      number: number, isReply: isEnd || flags & Self.multipart != 0,
      isInconsistent: flags & Self.interrupted != 0,
      content: Self.content(type, message.dropFirst(Self.headerLength)))
  }

  private static func content(_ type: UInt16, _ body: NetlinkBytes) -> NetlinkMessage.Content {
    switch type {
    case MessageType.newLink: link(body).map { .link($0) } ?? .other
    case MessageType.linkGone: link(body).map { .linkGone($0.index) } ?? .other
    case MessageType.newRoute: NetworkRoute(body).map { .route($0) } ?? .other
    case MessageType.routeGone: NetworkRoute(body).map { .routeGone($0) } ?? .other
    // Errors are negative numbers. Older kernels send no error code at the end of a dump.
    case MessageType.error, MessageType.done: .end(body.int32(0).map { 0 &- $0 } ?? 0)
    default: .other
    }
  }

  private static func link(_ body: NetlinkBytes) -> NetworkLink? {
    // A link message of another family (AF_BRIDGE) reports that a link joins or leaves a bridge. The link
    // itself is neither new nor gone.
    guard let family = body.uint8(0), family == 0, let index = body.int32(4), let flags = body.uint32(8)
    else { return nil }
    return NetworkLink(index: index, flags: flags)
  }
}

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
