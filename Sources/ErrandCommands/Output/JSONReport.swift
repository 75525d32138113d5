import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The object that `--output json` prints about a response or a failure.
struct JSONReport: Encodable {
  struct Failure: Encodable {
    let code: String
    let message: String
    let hint: String?
    let exit: Int32
    let attempts: Int?

    init(_ failure: CommandFailure) {
      code = failure.code
      message = failure.message
      hint = failure.hint
      exit = failure.exit == .interrupted ? Interruption.exitCode : failure.exit.rawValue
      attempts = failure.cause.flatMap { $0.attempt > 0 ? $0.attempt : nil }
    }
  }

  let method: String
  let url: String?
  var status: Int?
  /// The header fields in order, each as `[name, value]`, so that a name may be repeated.
  var fields: [[String]]?
  /// The body if it is UTF-8.
  var body: String?
  /// The body in base64 if it is not UTF-8.
  var bodyBase64: String?
  /// The file that the body was written to.
  var file: String?
  var timing: JSONTiming?
  var error: Failure?
  /// The stored request, for `--guaranteed`.
  var stored: OutboxRecord?
  /// False if `body` is only the first part of the response's body.
  var isWhole: Bool?

  init(method: HTTPMethod, url: String?) {
    self.method = method.rawValue
    self.url = url
  }

  mutating func setResponse(_ status: HTTPStatus, _ fields: HTTPFields) {
    self.status = status.code
    self.fields = fields.map { [$0.name, $0.value] }
  }

  mutating func setBody(_ data: Data) {
    if let text = String(validating: data, as: UTF8.self) {
      body = text
    } else {
      bodyBase64 = data.base64EncodedString()
    }
  }

  mutating func setFailure(_ failure: CommandFailure) { error = Failure(failure) }
}

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

/// Writes JSON, for programs and for people.
enum JSONText {
  /// Returns JSON in which control characters are escaped, so that a terminal does not obey them.
  static func text(_ value: some Encodable, isPretty: Bool) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting =
      isPretty
      ? [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted] : [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else { return "{}" }
    var text = ""
    for scalar in String(decoding: data, as: UTF8.self).unicodeScalars {
      if scalar == "\n" || ControlEscaper.isHarmless(scalar) {
        text.unicodeScalars.append(scalar)
      } else {
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return text
  }

  /// Returns the text as a string of JSON, with its quotes.
  static func quoted(_ text: String) -> String { self.text(text, isPretty: false) }

  /// Returns a date in ISO 8601, in UTC, with milliseconds.
  static func date(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}
