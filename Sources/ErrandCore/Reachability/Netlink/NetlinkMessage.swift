/// One thing that the kernel says about links and routes: netlink(7), rtnetlink(7).
struct NetlinkMessage: Hashable, Sendable {
  enum Content: Hashable, Sendable {
    case link(NetworkLink)
    case linkGone(Int32)
    case route(NetworkRoute)
    case routeGone(NetworkRoute)
    /// The end of an answer; 0, or the error that cut it short.
    case end(Int32)
    /// Of no interest here, or not understood.
    case other
  }

  /// The number of the request that it answers. Events may bear any: that of whoever caused them.
  var number: UInt32
  /// It is part of an answer.
  var isAnswer: Bool
  /// What the answer tells of has changed while it was given: it may be wrong.
  var isInconsistent = false
  var content: Content
}
