import ErrandCore

/// A timing in JSON: milliseconds, with three digits after the point.
struct JSONTiming: Encodable {
  let queue: Double
  let dns: Double?
  let connect: Double?
  let tls: Double?
  let firstByte: Double?
  let total: Double
  let bytesSent: Int64
  let bytesReceived: Int64
  let httpVersion: String?
  let connectionReused: Bool?
  let attempts: Int
  let redirects: Int

  init(_ timing: Timing) {
    func milliseconds(_ duration: Duration) -> Double { (duration.seconds * 1_000_000).rounded() / 1000 }
    queue = milliseconds(timing.queue)
    dns = timing.dns.map(milliseconds)
    connect = timing.connect.map(milliseconds)
    tls = timing.tls.map(milliseconds)
    firstByte = timing.firstByte.map(milliseconds)
    total = milliseconds(timing.total)
    bytesSent = timing.bytesSent
    bytesReceived = timing.bytesReceived
    httpVersion = timing.httpVersion.map { "\($0)" }
    connectionReused = timing.connectionReused
    attempts = timing.attempts
    redirects = timing.redirects
  }
}
