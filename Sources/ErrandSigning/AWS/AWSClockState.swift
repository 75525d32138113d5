/// The rules by which the differences between servers' clocks and the local one are learned and forgotten. Pure; all
/// times are seconds since 1970.
///
/// Only a refused signature teaches a difference, and only one that a server would refuse. Each host has its own, so
/// that one host's wrong clock breaks no other's signatures.
struct AWSClockState: Sendable {
  /// The least difference that counts. Services accept signatures that are 5 minutes old, S3 15 minutes.
  static let least: Double = 240
  /// The most hosts that are known.
  static let mostHosts = 1000

  /// A server's reply to a signature.
  struct Reply: Sendable {
    var refusal: AWSRefusal
    /// The server's clock; nil if it did not say.
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

  /// Returns the seconds to be added to the local clock; 0 if nothing is known.
  func offset(for host: String) -> Double { learned[host]?.offset ?? 0 }

  var hostCount: Int { learned.count }

  /// Takes a reply.
  /// - Returns: True if the next signature for the host has another time than the refused one.
  mutating func take(_ reply: Reply, from host: String) -> Bool {
    let isLocalRight = reply.server.map { abs($0 - reply.local) < Self.least } ?? false
    guard reply.refusal != .none else {
      // The signature was accepted, or not looked at.
      if isLocalRight { learned.removeValue(forKey: host) }
      return false
    }
    if let server = reply.server, abs(server - reply.signed) >= Self.least {
      // False for a date that is not a number, too.
      let offset = server - reply.local
      if isLocalRight { learned[host] = nil } else { learn(offset, of: host) }
      return true
    }
    // The time was the server's, or nothing tells the server's. A skewed signature is not worth keeping then.
    guard abs(reply.signed - reply.local) >= Self.least else { return false }
    let isCurrent = abs(offset(for: host) - (reply.signed - reply.local)) < Self.least
    // Another request may have learned better since.
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
