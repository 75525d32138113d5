/// The rules for trailers: the fields after a body (RFC 9110, section 6.5). Pure.
package enum TrailerFields {
  /// The most bytes of trailers that a request may have. libcurl sends at most 64 KiB.
  package static let limit = 32 << 10

  /// The fields that a recipient needs before the body: for framing, routing, conditions and other controls,
  /// authentication, and to process the body (RFC 9110, section 6.5.1). In lower case.
  private static let forbidden: Set<String> = [
    // Framing and the connection
    "connection", "content-length", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding",
    "upgrade",
    // Routing
    "host", "max-forwards", "via",
    // Controls, conditions and negotiation
    "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "expect", "if-match",
    "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "pragma", "range",
    // Authentication
    "authorization", "cookie", "proxy-authenticate", "proxy-authorization", "set-cookie", "www-authenticate",
    // Control of responses
    "age", "date", "expires", "location", "retry-after", "vary", "warning",
    // The body
    "content-disposition", "content-encoding", "content-language", "content-location", "content-range",
    "content-type",
  ]

  private static func isForbidden(_ name: String) -> Bool { forbidden.contains(ASCII.lowercased(name)) }

  /// Returns the reason why a request must not send these trailers; nil if it may send them.
  static func problem(of fields: HTTPFields) -> String? {
    var size = 0
    for field in fields {
      size += field.name.utf8.count + field.value.utf8.count + 4
      if let problem = field.problem { return "a trailer is invalid: \(problem)" }
      if isForbidden(field.name) { return "\(field.name) must be a header field, and cannot be a trailer" }
    }
    return size > limit ? "its trailers have \(size) bytes, but at most \(limit) are sent" : nil
  }

  /// Returns received trailers without the fields that must not be trailers.
  static func allowed(_ fields: HTTPFields) -> HTTPFields {
    var fields = fields
    fields.remove { isForbidden($0.name) }
    return fields
  }
}
