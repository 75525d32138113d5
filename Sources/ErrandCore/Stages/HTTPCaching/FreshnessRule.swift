#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Decides which responses may be stored, how old they are, and how long they are fresh (RFC 9111, sections 3 and
/// 4.2). Pure. It is the rule of a private cache, so `s-maxage` and `proxy-revalidate` do not count.
struct FreshnessRule: Sendable {
  /// The current date.
  let now: Date

  /// The statuses whose responses may be fresh without the server's word (RFC 9110, section 15.1).
  private static let heuristicStatuses: Set<Int> = [
    200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501,
  ]
  /// The statuses whose caching rules this cache knows, for `must-understand`.
  private static let understoodStatuses = heuristicStatuses.union([302, 303, 304, 307])
  /// The part of a resource's age for which its response is fresh without the server's word.
  private static let heuristicPart = 0.1
  /// The longest such time, in seconds: a day.
  private static let heuristicLimit = 86_400.0
  /// A date further ahead than this was set before the clock was set back. Some file systems round up.
  private static let tolerance = 2.0

  // MARK: Storing

  /// Returns true if the response to a GET may be stored.
  /// - Parameter request: The header fields of the request.
  func mayStore(_ status: HTTPStatus, _ fields: HTTPFields, to request: HTTPFields) -> Bool {
    guard status.code >= 200, status != 304 else { return false }
    if CacheControl(request).contains("no-store") { return false }
    let control = CacheControl(fields)
    if control.contains("must-understand") {
      guard Self.understoodStatuses.contains(status.code) else { return false }
    } else if control.contains("no-store") {
      return false
    }
    // A response to Authorization may be stored, because the cache is private.
    guard !Vary(fields).isAny else { return false }
    return control.contains("public") || control.contains("private") || control.contains("max-age")
      || fields.contains("Expires") || Self.heuristicStatuses.contains(status.code)
  }

  /// Returns true if storing the response has a use: it will be fresh, or it can be validated.
  func isWorthStoring(_ response: CachedResponse) -> Bool {
    response.hasValidator || lifetime(of: response) > 0
  }

  // MARK: Age

  /// Returns the age of a response when it arrives, in seconds (RFC 9111, section 4.2.3).
  /// - Parameters:
  ///   - delay: The time between sending the request and receiving the response, in seconds.
  func initialAge(of fields: HTTPFields, delay: TimeInterval) -> TimeInterval {
    let apparent = Self.date(in: fields).map { now.timeIntervalSince($0) } ?? 0
    return max(0, apparent, Self.age(in: fields) + max(0, delay))
  }

  /// Returns the present age of a stored response, in seconds; nil if the clock has been set back since.
  func age(of response: CachedResponse) -> TimeInterval? {
    let resident = now.timeIntervalSince(response.date)
    guard resident >= -Self.tolerance else { return nil }
    return (response.exchange?.initialAge ?? 0) + max(0, resident)
  }

  /// The value of `Age`, whose first member counts; 0 if it is not valid (RFC 9111, section 5.1).
  private static func age(in fields: HTTPFields) -> TimeInterval {
    guard let line = fields.values(of: "Age").first else { return 0 }
    let member = ASCII.trimmed(line.prefix { $0 != "," })
    guard !member.isEmpty, member.utf8.allSatisfy({ 48...57 ~= $0 }) else { return 0 }
    return TimeInterval(min(ASCII.wholeNumber(member) ?? .max, Int64(CacheControl.longest)))
  }

  private static func date(in fields: HTTPFields) -> Date? {
    fields.values(of: "Date").first.flatMap { HTTPDate.parseExactly(ASCII.trimmed($0)) }
  }

  // MARK: Freshness

  /// Returns how long the response is fresh, in seconds from its origin (RFC 9111, section 4.2.1).
  func lifetime(of response: CachedResponse) -> TimeInterval {
    let fields = response.fields
    let control = response.rules.control
    switch control.seconds("max-age") {
    case .valid(let seconds)?: return TimeInterval(seconds)
    case .malformed?: return 0
    case nil: break
    }
    let origin = Self.date(in: fields) ?? response.date
    if fields.contains("Expires") {
      let values = fields.values(of: "Expires")
      guard values.count == 1, let end = HTTPDate.parseExactly(ASCII.trimmed(values[0])) else { return 0 }
      return max(0, end.timeIntervalSince(origin))
    }
    // Servers that know no `Cache-Control` forbid it with `Pragma`.
    guard !Self.isPragmaNoCache(fields) else { return 0 }
    guard control.contains("public") || Self.heuristicStatuses.contains(response.status.code),
      let modified = fields["Last-Modified"].flatMap(HTTPDate.parseExactly)
    else { return 0 }
    return max(0, min(origin.timeIntervalSince(modified) * Self.heuristicPart, Self.heuristicLimit))
  }

  // MARK: Use

  /// Decides what a stored response that matches a request is good for (RFC 9111, section 4).
  /// - Parameter request: The header fields of the request.
  func use(of response: CachedResponse, for request: HTTPFields) -> CacheUse {
    let (asked, control) = (CacheControl(request), response.rules.control)
    let lifetime = lifetime(of: response)
    guard let age = age(of: response) else {
      return CacheUse(.validate, age: 0, ttl: 0, "the clock has been set back since it was stored")
    }
    let ttl = lifetime - age
    func use(_ verdict: CacheUse.Verdict, _ reason: String) -> CacheUse {
      CacheUse(verdict, age: age, ttl: ttl, reason)
    }

    if response.exchange?.isInvalid == true {
      return use(.validate, "a later request has changed the resource")
    }
    if control.isUnqualified("no-cache") { return use(.validate, "the response says no-cache") }
    let isFresh = ttl > 0
    if asked.contains("no-cache")
      || (asked.isEmpty && request.contains("Pragma") && Self.isPragmaNoCache(request))
    {
      return use(.validate, "the request says no-cache")
    }
    let isImmutable = isFresh && control.contains("immutable")
    switch asked.seconds("max-age") {
    case .malformed?: return use(.validate, "the request's max-age is not a number")
    // A reload asks with 0, which has no use for a response that never changes (RFC 8246).
    case .valid(let limit)? where !(isImmutable && limit == 0) && (age > TimeInterval(limit) || limit == 0):
      return use(.validate, "it is older than the request's max-age of \(limit) s")
    default: break
    }
    switch asked.seconds("min-fresh") {
    case .malformed?: return use(.validate, "the request's min-fresh is not a number")
    case .valid(let least)? where ttl < TimeInterval(least):
      return use(.validate, "it is not fresh for the request's min-fresh of \(least) s")
    default: break
    }
    if isFresh { return use(.deliver, "fresh") }

    let staleness = -ttl
    if control.contains("must-revalidate") {
      return use(.validate, "stale, and the response says must-revalidate")
    }
    if asked.contains("max-stale") {
      switch asked.seconds("max-stale") {
      case .valid(let limit)? where staleness > TimeInterval(limit): break
      // Without a number, any staleness is accepted.
      default: return use(.deliver, "stale, which the request's max-stale allows")
      }
    }
    if case .valid(let limit)? = control.seconds("stale-while-revalidate"), staleness <= TimeInterval(limit) {
      return use(.deliverAndValidate, "stale, and validated in the background (stale-while-revalidate)")
    }
    return use(.validate, "stale")
  }

  /// Returns true if a stored response may be delivered although it is stale, because the server failed.
  /// - Parameters:
  ///   - request: The header fields of the request.
  ///   - isDisconnected: True if the server could not be reached, so that any stale response may be delivered that is
  ///     not forbidden, unless the request or the response says how stale it may be (RFC 9111, section 4.2.4). Otherwise
  ///     `stale-if-error` decides (RFC 5861, section 4).
  func mayReplaceError(_ response: CachedResponse, for request: HTTPFields, isDisconnected: Bool) -> Bool {
    let (asked, control) = (CacheControl(request), response.rules.control)
    guard let age = age(of: response), response.exchange?.isInvalid != true, !Self.mustReachServer(control)
    else { return false }
    let staleness = age - lifetime(of: response)
    let isForbidden =
      ["no-cache", "max-age", "min-fresh"].contains(where: asked.contains)
      || (asked.isEmpty && Self.isPragmaNoCache(request))
    if isDisconnected, !isForbidden {
      return staleness <= Self.limit(asked, control)
    }
    return [asked, control].contains { $0.validSeconds("stale-if-error").map { staleness <= $0 } ?? false }
  }

  /// Returns how stale a response may be that is delivered because the server cannot be reached, in seconds. The
  /// request's wish counts before the response's.
  private static func limit(_ asked: CacheControl, _ control: CacheControl) -> TimeInterval {
    let wishes = [
      asked.contains("max-stale") ? asked.validSeconds("max-stale") ?? .infinity : nil,
      asked.validSeconds("stale-if-error"),
    ]
    return wishes.compactMap(\.self).max() ?? control.validSeconds("stale-if-error") ?? .infinity
  }

  /// Returns true if a stale response is never delivered without asking the server.
  static func mustReachServer(_ control: CacheControl) -> Bool {
    control.isUnqualified("no-cache") || control.contains("must-revalidate")
  }

  /// `Pragma: no-cache` counts in a request without `Cache-Control` (RFC 9111, section 5.4).
  private static func isPragmaNoCache(_ request: HTTPFields) -> Bool {
    request.values(of: "Pragma").contains { line in
      line.split(separator: ",").contains { ASCII.equalIgnoringCase(ASCII.trimmed($0), "no-cache") }
    }
  }
}

/// The use of a stored response, and its reason.
struct CacheUse: Sendable, Hashable {
  enum Verdict: Sendable, Hashable {
    /// Deliver it.
    case deliver
    /// Deliver it, and validate it in the background.
    case deliverAndValidate
    /// Ask the server whether it is still valid.
    case validate
  }

  let verdict: Verdict
  /// The age of the response, in seconds.
  let age: TimeInterval
  /// How long the response is still fresh, in seconds; negative for a stale one.
  let ttl: TimeInterval
  /// The reason, as part of a sentence.
  let reason: String

  init(_ verdict: Verdict, age: TimeInterval, ttl: TimeInterval, _ reason: String) {
    self.verdict = verdict
    self.age = age
    self.ttl = ttl
    self.reason = reason
  }
}

extension CacheControl {
  fileprivate func validSeconds(_ directive: String) -> TimeInterval? {
    if case .valid(let seconds)? = seconds(directive) { TimeInterval(seconds) } else { nil }
  }
}

extension CachedResponse {
  /// Returns the age of the response in seconds, how long it is still fresh, and the decision about it; nil for a response
  /// that was cached under a name.
  package func freshness(at now: Date) -> (age: Double, ttl: Double, reason: String)? {
    guard exchange != nil else { return nil }
    let use = FreshnessRule(now: now).use(of: self, for: [:])
    return (use.age, use.ttl, use.reason)
  }
}
