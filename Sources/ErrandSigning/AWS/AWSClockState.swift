/// The rules by which differences between servers' clocks and the local clock are learned and forgotten. They
/// are pure; all times are seconds since 1970.
///
/// A difference is learned only from a refused signature, and only if it is large enough for a server to
/// refuse it. Each host has a separate difference, so that a host's wrong clock affects no other host's
/// signatures.
struct AWSClockState: Sendable {
  /// The least difference that counts, in seconds. Services accept signatures that are 5 minutes old, S3 15 minutes.
  static let least: Double = 240
  /// The most hosts whose differences are kept.
  static let mostHosts = 1000

  /// A server's reply to a signature.
  struct Reply: Sendable {
    var refusal: AWSRefusal
    /// The server's clock; nil if the response has no `Date`.
    var server: Double?
    /// The local clock when the request was signed.
    var local: Double
    /// The time of the signature.
    var signed: Double
  }

  private struct Learned: Sendable {
    let offset: Double
    let number: Int
  }

  private var learned: [String: Learned] = [:]
  private var count = 0

  /// Returns the seconds to add to the local clock; 0 if no difference is known.
  func offset(for host: String) -> Double { learned[host]?.offset ?? 0 }

  var hostCount: Int { learned.count }

  /// Learns from a reply.
  /// - Returns: True if the next signature for the host has another time than the refused one.
  mutating func take(_ reply: Reply, from host: String) -> Bool {
    let isLocalRight = reply.server.map { abs($0 - reply.local) < Self.least } ?? false
    guard reply.refusal != .none else {
      // The server accepted the signature, or did not check it.
      if isLocalRight { learned.removeValue(forKey: host) }
      return false
    }
    if let server = reply.server, abs(server - reply.signed) >= Self.least {
      // A date that is not a number also fails this comparison.
      let offset = server - reply.local
      if isLocalRight { learned[host] = nil } else { learn(offset, of: host) }
      return true
    }
    // The time was right, or the server's time is unknown. A skewed signature is not worth keeping then.
    guard abs(reply.signed - reply.local) >= Self.least else { return false }
    let isCurrent = abs(offset(for: host) - (reply.signed - reply.local)) < Self.least
    // Another request may have learned a better difference since.
    if isCurrent { learned[host] = nil }
    return reply.refusal == .time || reply.server == nil
  }

  private mutating func learn(_ offset: Double, of host: String) {
    count += 1
    learned[host] = Learned(offset: offset, number: count)
    guard learned.count > Self.mostHosts,
      let oldest = learned.min(by: { $0.value.number < $1.value.number })?.key
    else { return }
    learned[oldest] = nil
  }
}
