/// What names of fields say by themselves.
enum FieldNames {
  /// A response is the same whatever these say: who asks, how bytes are packed on the way, and what traces a request.
  static let thatCannotMatter = [
    "User-Agent", "Accept-Encoding", "traceparent", "tracestate", "baggage", "X-Request-ID",
    "X-Correlation-ID",
    "b3", "X-B3-TraceId", "X-B3-SpanId", "X-B3-ParentSpanId", "X-B3-Sampled", "X-B3-Flags", "X-Amzn-Trace-Id",
    "X-Cloud-Trace-Context", "uber-trace-id",
  ]

  /// What another origin may see: what is wanted, what the body is, on which condition, and by which key the same request
  /// is known again. Everything else may be a credential.
  static let thatCrossOrigins = [
    "Accept", "Accept-Encoding", "Accept-Language", "Cache-Control", "Content-Digest", "Content-Disposition",
    "Content-Encoding", "Content-Language", "Content-Type", "Expect", "Idempotency-Key", "If-Match",
    "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since", "Pragma", "Prefer", "Priority",
    "Range",
    "Repr-Digest", "User-Agent",
  ]

  /// How the names of credentials end.
  private static let endingsOfSecrets = [
    "access-key", "api-key", "api_key", "apikey", "application-key", "assertion", "auth-key",
    "authentication",
    "authentication-info", "authorization", "cookie", "credential", "credentials", "functions-key", "jwt",
    "password",
    "secret", "secret-key", "session-id", "signature", "subscription-key", "token", "x-auth",
  ]

  /// By their last letters, because every field of every response is looked at.
  private static let endingsByLetter: [[String]] = {
    var endings = [[String]](repeating: [], count: 256)
    for ending in endingsOfSecrets { endings[Int(ending.utf8.last!)].append(ending) }
    return endings
  }()

  /// True for a name that credentials have by custom.
  static func isSecret(_ name: String) -> Bool {
    guard let last = name.utf8.last else { return false }
    return endingsByLetter[Int(ASCII.lowered(last))].contains { ASCII.hasSuffixIgnoringCase(name, $0) }
  }
}

extension HTTPFields.Field {
  /// True if a response may depend on it, so that two requests with different values are not the same.
  var mayMatter: Bool {
    isSecret || !FieldNames.thatCannotMatter.contains { ASCII.equalIgnoringCase($0, name) }
  }

  /// True if it only says which answer the client has already.
  var isCondition: Bool {
    ASCII.equalIgnoringCase("If-None-Match", name) || ASCII.equalIgnoringCase("If-Modified-Since", name)
  }

  /// True if it may go on to another origin.
  var mayCrossOrigins: Bool {
    !isSecret && FieldNames.thatCrossOrigins.contains { ASCII.equalIgnoringCase($0, name) }
  }

  /// True for a value that is a URL, or has some in it.
  var mayHoldURL: Bool {
    switch name.utf8.count {
    case 4, 6, 7, 8, 9, 16:
      ["Link", "Origin", "Referer", "Refresh", "Location", "SourceMap", "Content-Location"].contains {
        ASCII.equalIgnoringCase($0, name)
      }
    default: false
    }
  }
}

extension HTTPFields {
  /// True if `Cache-Control` says that nothing of it may be kept (RFC 9111, section 5.2).
  package var forbidStoring: Bool {
    values(of: "Cache-Control").contains { value in
      var isQuoted = false
      var name: [UInt8] = []
      var isName = true
      var escapes = false
      func isNoStore(_ name: [UInt8]) -> Bool {
        ASCII.equalIgnoringCase(ASCII.trimmed(String(decoding: name, as: UTF8.self)), "no-store")
      }
      for byte in value.utf8 {
        if escapes {
          escapes = false
          continue
        }
        switch byte {
        case UInt8(ascii: "\\") where isQuoted: escapes = true
        case UInt8(ascii: "\""): isQuoted.toggle()
        case UInt8(ascii: ",") where !isQuoted:
          if isNoStore(name) { return true }
          name = []
          isName = true
        case UInt8(ascii: "=") where !isQuoted: isName = false
        default: if isName, !isQuoted { name.append(byte) }
        }
      }
      return isNoStore(name)
    }
  }
}
