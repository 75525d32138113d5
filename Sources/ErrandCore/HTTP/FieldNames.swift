/// The header field names with a meaning for secrets, redirects and keys.
enum FieldNames {
  /// The header fields that do not change the response: they name the client, the transfer's encoding, or a
  /// trace.
  static let thatCannotMatter = [
    "User-Agent", "Accept-Encoding", "traceparent", "tracestate", "baggage", "X-Request-ID",
    "X-Correlation-ID",
    "b3", "X-B3-TraceId", "X-B3-SpanId", "X-B3-ParentSpanId", "X-B3-Sampled", "X-B3-Flags", "X-Amzn-Trace-Id",
    "X-Cloud-Trace-Context", "uber-trace-id",
  ]

  /// The header fields that may be sent to another origin: content negotiation, the body's description,
  /// conditions and the idempotency key. Every other field may be a credential.
  static let thatCrossOrigins = [
    "Accept", "Accept-Encoding", "Accept-Language", "Cache-Control", "Content-Digest", "Content-Disposition",
    "Content-Encoding", "Content-Language", "Content-Type", "Expect", "Idempotency-Key", "If-Match",
    "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since", "Pragma", "Prefer", "Priority",
    "Range",
    "Repr-Digest", "User-Agent",
  ]

  /// The endings of the names of credentials, in lower case.
  static let endingsOfSecrets = [
    "access-key", "api-key", "api_key", "apikey", "application-key", "assertion", "auth-key",
    "authentication",
    "authentication-info", "authorization", "cookie", "credential", "credentials", "functions-key", "jwt",
    "password",
    "secret", "secret-key", "session-id", "signature", "subscription-key", "token", "x-auth",
  ]

  /// The endings by their last letter, for speed, because every header field of every response is checked.
  private static let endingsByLetter: [[String]] = {
    var endings = [[String]](repeating: [], count: 256)
    for ending in endingsOfSecrets { endings[Int(ending.utf8.last!)].append(ending) }
    return endings
  }()

  /// Returns true for a name that by convention marks a credential.
  static func isSecret(_ name: String) -> Bool {
    guard let last = name.utf8.last else { return false }
    return endingsByLetter[Int(ASCII.lowered(last))].contains { ASCII.hasSuffixIgnoringCase(name, $0) }
  }
}

extension HTTPFields.Field {
  /// True if the response may depend on the header field, so that requests with different values are
  /// different. A secret always counts, whatever its name: see `Secrets.covers`.
  var mayMatter: Bool {
    !FieldNames.thatCannotMatter.contains { ASCII.equalIgnoringCase($0, name) }
  }

  /// True if the header field only names the response that the client has already.
  var isCondition: Bool {
    ASCII.equalIgnoringCase("If-None-Match", name) || ASCII.equalIgnoringCase("If-Modified-Since", name)
  }

  /// True if the header field may be sent to another origin, unless it is secret: see `Secrets.covers`.
  var mayCrossOrigins: Bool {
    FieldNames.thatCrossOrigins.contains { ASCII.equalIgnoringCase($0, name) }
  }

  /// True if the value is a URL or contains URLs, possibly percent-encoded. Used only where fields are shown
  /// or stored.
  var mayHoldURL: Bool {
    if Self.namesOfURLs.contains(where: { ASCII.equalIgnoringCase($0, name) }) { return true }
    // A relative URL has no scheme, but its query has items.
    if URLBytes.hasItems(value.utf8) { return true }
    guard value.utf8.contains(UInt8(ascii: "%")) else { return Self.hasURL(value.utf8) }
    return SecretName.decoded(Array(value.utf8)).map { Self.hasURL($0) || URLBytes.hasItems($0) } ?? true
  }

  private static let namesOfURLs = [
    "Link", "Origin", "Referer", "Refresh", "Location", "SourceMap", "Content-Location",
  ]

  private static func hasURL(_ value: some Collection<UInt8>) -> Bool {
    var rest = value[...]
    while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
      rest = rest[rest.index(after: colon)...]
      if rest.starts(with: [UInt8(ascii: "/"), UInt8(ascii: "/")]) { return true }
    }
    return false
  }
}

extension HTTPFields {
  /// True if `Cache-Control` forbids storing any part of the message (RFC 9111, section 5.2).
  package var forbidStoring: Bool { CacheControl(self).contains("no-store") }
}

/// Facts about a field line that every request needs. They are determined once, when the line is made,
/// because a line is usually sent several times.
struct FieldMarks: OptionSet, Sendable {
  let rawValue: UInt8

  static let secret = Self(rawValue: 1)
  /// The value begins or ends with spaces or tabs.
  static let padded = Self(rawValue: 2)
  /// The name is not a token.
  static let badName = Self(rawValue: 4)
  /// The value contains a control character, such as CR, LF or NUL.
  static let badValue = Self(rawValue: 8)
  /// The name is `Host`, which a request may have once.
  static let host = Self(rawValue: 16)
  /// The name is `Content-Length` or `Transfer-Encoding`, whose values follow from the body.
  static let framing = Self(rawValue: 32)

  /// The marks of a line that a request may not have, or not always.
  static let suspect: Self = [.badName, .badValue, .host, .framing]

  init(rawValue: UInt8) { self.rawValue = rawValue }

  init(_ name: String, _ value: String, isSecret: Bool) {
    self = isSecret || FieldNames.isSecret(name) ? .secret : []
    if ASCII.isPadded(value) { insert(.padded) }
    if !ASCII.isToken(name) { insert(.badName) }
    if ASCII.hasControl(value) { insert(.badValue) }
    switch name.utf8.count {
    case 4 where ASCII.equalIgnoringCase(name, "Host"): insert(.host)
    case 14 where ASCII.equalIgnoringCase(name, "Content-Length"),
      17 where ASCII.equalIgnoringCase(name, "Transfer-Encoding"):
      insert(.framing)
    default: break
    }
  }
}
