/// One message of the kernel about links and routes: netlink(7), rtnetlink(7).
struct NetlinkMessage: Hashable, Sendable {
  enum Content: Hashable, Sendable {
    case link(NetworkLink)
    case linkGone(Int32)
    case route(NetworkRoute)
    case routeGone(NetworkRoute)
    /// The end of a dump; 0, or the error that cut it short.
    case end(Int32)
    /// A message that is not needed here, or not understood.
    case other
  }

  /// The sequence number of the request that caused the message. An event may bear any number: that of the
  /// process that caused the change.
  var number: UInt32
  /// True if the message is part of the response to a request.
  var isReply: Bool
  /// True if the kernel's tables changed during the dump, so that it may be wrong.
  var isInconsistent = false
  var content: Content
}
