import ErrandCore

/// The times of one entry in milliseconds, as HAR 1.2 defines them; -1 for a step that did not happen. Pure.
struct HARTimings: Encodable, Sendable, Equatable {
  /// The times of an attempt's steps on one timeline; nil if they are unknown.
  struct Moments: Sendable {
    /// The time at which the attempt began to wait: the call's start, or the end of the preceding step.
    var begin: Duration
    /// The time at which the request was passed to the transport.
    var started: Duration
    var fieldsSent: Duration?
    var bodySent: Duration?
    var firstByte: Duration?
    var end: Duration

    var dns: Duration?
    var connect: Duration?
    var tls: Duration?

    /// Takes the steps that the transport has measured, unless it reported them as events.
    mutating func take(_ metrics: TransferMetrics) {
      dns = dns ?? metrics.dns
      connect = connect ?? metrics.connect
      tls = tls ?? metrics.tls
      if firstByte == nil, let after = metrics.firstByte { firstByte = started + after }
    }
  }

  enum CodingKeys: String, CodingKey {
    case blocked, dns, connect, ssl, send, wait, receive
    case queueing = "_blocked_queueing"
  }

  let blocked: Double
  let dns: Double
  /// The time for connecting, including TLS.
  let connect: Double
  let ssl: Double
  let send: Double
  let wait: Double
  let receive: Double
  let queueing: Double

  init(_ moments: Moments) {
    let (dns, tls) = (moments.dns ?? .zero, moments.tls ?? .zero)
    let connect = (moments.connect ?? .zero) + tls
    // If the transport reports no steps, the request counts as sent as soon as it is connected.
    let ready = max(moments.started + dns + connect, moments.fieldsSent ?? .zero)
    let sent = min(max(ready, moments.bodySent ?? ready), max(ready, moments.end))
    let first = min(max(sent, moments.firstByte ?? moments.end), max(sent, moments.end))
    queueing = Self.milliseconds(moments.started - moments.begin)
    blocked = Self.milliseconds(ready - moments.begin - dns - connect)
    self.dns = moments.dns.map(Self.milliseconds) ?? -1
    self.connect = moments.connect == nil && moments.tls == nil ? -1 : Self.milliseconds(connect)
    ssl = moments.tls.map(Self.milliseconds) ?? -1
    send = Self.milliseconds(sent - ready)
    wait = Self.milliseconds(first - sent)
    receive = Self.milliseconds(moments.end - first)
  }

  /// The sum of the steps. TLS is a part of connecting.
  var total: Double {
    Self.rounded([blocked, dns, connect, send, wait, receive].filter { $0 > 0 }.reduce(0, +))
  }

  /// Returns a duration in milliseconds with three decimal places, and at least zero.
  private static func milliseconds(_ duration: Duration) -> Double {
    rounded(max(0, duration.seconds) * 1000)
  }

  private static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}
