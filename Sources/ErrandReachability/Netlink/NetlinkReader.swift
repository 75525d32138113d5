/// Reads the kernel's messages one by one. It terminates for any bytes; truncated or malformed messages are
/// skipped.
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
    // A link message of another family (AF_BRIDGE) says that a link joins or leaves a bridge; the link is
    // neither new nor gone.
    guard let family = body.uint8(0), family == 0, let index = body.int32(4), let flags = body.uint32(8)
    else { return nil }
    return NetworkLink(index: index, flags: flags)
  }
}
