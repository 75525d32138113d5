#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The number of requests that a server still allows, until its reset. Pure.
struct ServerQuota: Sendable, Hashable {
  /// The statements of one response about one quota.
  struct Report: Sendable, Hashable {
    /// The number of requests that the server still allows, including those in flight that it has not seen yet.
    var left: Int
    /// The time from the response until the quota is reset.
    var reset: Duration
    /// True if the quota is that of a partition of the server's clients.
    var isOfPartition = false
  }

  private(set) var left: Int
  private(set) var until: Duration
  /// The number of the newest attempt whose response the quota comes from.
  private var attempt: UInt64

  /// Creates a quota.
  /// - Parameters:
  ///   - attempt: The number of the attempt.
  ///   - inFlight: The number of other attempts in flight.
  ///   - longest: The longest time until the reset.
  init(_ report: Report, of attempt: UInt64, inFlight: Int, longest: Duration, at now: Duration) {
    left = max(0, report.left - inFlight)
    until = now + max(.zero, min(report.reset, longest))
    self.attempt = attempt
  }

  /// Returns how long attempts must wait; nil if they need not.
  func wait(at now: Duration) -> Duration? { left > 0 || now >= until ? nil : until - now }

  mutating func take() { left = max(0, left - 1) }
  mutating func putBack() { left += 1 }

  /// Replaces the quota by a later one. The responses to concurrent attempts arrive in any order, so the response to an
  /// earlier attempt can only make the quota smaller.
  mutating func replace(by new: ServerQuota, at now: Duration) {
    if new.attempt >= attempt || now >= until {
      self = new
    } else {
      left = min(left, new.left)
      until = max(until, new.until)
    }
  }

  /// Returns the quotas in the fields of a response. Malformed fields are ignored.
  /// - Parameter date: The current date, for fields with a date.
  static func reports(_ fields: HTTPFields, _ status: HTTPStatus, at date: Date) -> [Report] {
    var reports = reports(
      QuotaItem.list(fields.values(of: "RateLimit")),
      policies: QuotaItem.list(fields.values(of: "RateLimit-Policy")))
    if reports.isEmpty {
      let early = ["", "X-"].lazy.compactMap { report(fields, prefix: $0, at: date) }.first
      reports = early.map { [$0] } ?? []
    }
    if status.code == 429 || status.code == 503, let wait = RetryAfter(of: fields)?.wait(from: date),
      wait > .zero
    {
      let usedUp = reports.filter { $0.left == 0 }
      let isOfPartition = !usedUp.isEmpty && usedUp.allSatisfy(\.isOfPartition)
      reports.append(Report(left: 0, reset: wait, isOfPartition: isOfPartition))
    }
    return reports
  }

  private static func reports(_ items: [QuotaItem], policies: [QuotaItem]) -> [Report] {
    items.compactMap { item in
      let policy = policies.first { $0.name == item.name }
      guard let left = item.number("r"), let seconds = item.number("t") ?? policy?.number("w"), seconds > 0
      else { return nil }
      // A quota of bytes, or of any other unit, says nothing about further requests until it is used up.
      let unit = policy?.parameters["qu"] ?? "request"
      guard unit.hasPrefix("request") || left == 0 else { return nil }
      let isOfPartition = item.parameters["pk"] != nil || policy?.parameters["pk"] != nil
      return Report(left: left, reset: .seconds(seconds), isOfPartition: isOfPartition)
    }
  }

  /// Reads the two fields of earlier drafts, whose reset is a number of seconds or, by the habit of some servers, a
  /// Unix time.
  private static func report(_ fields: HTTPFields, prefix: String, at date: Date) -> Report? {
    func number(_ name: String) -> Int? {
      let values = fields.values(of: "\(prefix)RateLimit-\(name)")
      guard values.count == 1 else { return nil }
      return QuotaItem.number(ASCII.trimmed(values[0]))
    }
    guard let left = number("Remaining"), var seconds = number("Reset") else { return nil }
    if seconds > 1_000_000_000 {
      let now = max(0, min(date.timeIntervalSince1970, 1e12))
      seconds = seconds - Int(now)
      // Milliseconds, or another era.
      guard seconds < 366 * 86_400 else { return nil }
    }
    return seconds > 0 ? Report(left: left, reset: .seconds(seconds)) : nil
  }
}

/// An item of a list of structured fields (RFC 9651) with its parameters, as far as quotas need them.
struct QuotaItem: Sendable, Hashable {
  var name: String
  /// The parameters, as they stand in the field, without the quotation marks of strings.
  var parameters: [String: String] = [:]

  /// Returns a parameter that is an integer of zero or more.
  func number(_ name: String) -> Int? { parameters[name].flatMap(Self.number) }

  /// Parses an integer of structured fields, which has at most 15 digits.
  static func number(_ text: String) -> Int? {
    guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ 48...57 ~= $0 }) else { return nil }
    return Int(text)
  }

  /// Parses the values of a field. A malformed list is empty, as RFC 9651 requires.
  static func list(_ values: [String]) -> [QuotaItem] {
    guard !values.isEmpty else { return [] }
    var scanner = Scanner(bytes: Array(values.joined(separator: ",").utf8))
    var items: [QuotaItem] = []
    scanner.skipSpaces()
    while let item = scanner.item() {
      items.append(item)
      scanner.skipSpaces()
      if scanner.isAtEnd { return items }
      guard scanner.take(UInt8(ascii: ",")) else { return [] }
      scanner.skipSpaces()
    }
    return []
  }

  private struct Scanner {
    let bytes: [UInt8]
    var index = 0

    var isAtEnd: Bool { index == bytes.count }
    var next: UInt8? { isAtEnd ? nil : bytes[index] }

    mutating func take(_ byte: UInt8) -> Bool {
      guard next == byte else { return false }
      index += 1
      return true
    }

    mutating func skipSpaces() {
      while let next, next == 32 || next == 9 { index += 1 }
    }

    mutating func item() -> QuotaItem? {
      guard let name = value() else { return nil }
      var item = QuotaItem(name: name)
      while take(UInt8(ascii: ";")) {
        skipSpaces()
        guard let key = word(), !key.isEmpty else { return nil }
        if take(UInt8(ascii: "=")) {
          guard let value = value() else { return nil }
          item.parameters[key] = value
        } else {
          item.parameters[key] = ""
        }
      }
      return item
    }

    /// A string, a byte sequence, a token or a number.
    private mutating func value() -> String? {
      guard take(UInt8(ascii: "\"")) else {
        let text = word()
        return text?.isEmpty == true ? nil : text
      }
      var text: [UInt8] = []
      while let byte = next {
        index += 1
        if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
        if byte == UInt8(ascii: "\\") {
          guard let escaped = next else { return nil }
          index += 1
          text.append(escaped)
        } else {
          text.append(byte)
        }
      }
      return nil
    }

    /// The bytes up to a separator.
    private mutating func word() -> String? {
      let start = index
      // The padding of a byte sequence contains `=`.
      let isBytes = next == UInt8(ascii: ":")
      while let byte = next, !";, \t\"".utf8.contains(byte), isBytes || byte != UInt8(ascii: "=") {
        index += 1
      }
      return String(decoding: bytes[start..<index], as: UTF8.self)
    }
  }
}
