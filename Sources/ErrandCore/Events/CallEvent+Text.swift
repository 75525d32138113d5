extension CallEvent: CustomStringConvertible {
  /// The call's number and the text of the event, in one line without control characters.
  public var description: String { "#\(call) \(kind)" }
}

extension CallEvent.Kind: CustomStringConvertible {
  /// The text of the event, in one line without control characters.
  public var description: String { LogText.line(text) }

  private var text: String {
    switch self {
    case .started: "started"
    case .coalesced(with: 0): "shares a response that has arrived"
    case .coalesced(let other): "shares #\(other)"
    case .waiting(let wait): "waits for \(wait)"
    case .waited(let wait): "waited for \(wait)"
    case .cacheDecided(let decision): "cache: \(decision)"
    case .attemptStarted(let request): "sends \(request)"
    case .resolved(let time): "resolved the host in \(time.shownShort)"
    case .connected(let time): "connected in \(time.shownShort)"
    case .secured(let time): "completed the TLS handshake in \(time.shownShort)"
    case .connectionReused: "reuses a connection"
    case .reached(let address): "reached \(address)"
    case .fieldsSent: "sent the fields"
    case .bodySent(let bytes): "sent the body, \(bytes) bytes"
    case .resent: "sends the request again, on another connection"
    case .firstByte: "received the first byte"
    case .interim(let response): "received the interim response \(response.status)"
    case .responded(let response): "received \(response)"
    case .redirected(let request): "is redirected to \(request)"
    case .validated: "accepted the response"
    case .attemptFailed(let failure): "attempt failed: \(failure.message)"
    case .retrying(let wait, let failure): "attempts again after \(wait.shownShort): \(failure.message)"
    case .hedged(let other, let wait): "makes a second attempt, #\(other), after \(wait.shownShort)"
    case .overtaken(let other): "the second attempt, #\(other), got a response first"
    case .finished(let response): "ended: \(response)"
    case .failed(let failure): "failed: \(failure.message)"
    case .cancelled(let reason): "cancelled: \(reason)"
    }
  }
}

extension EventWait: CustomStringConvertible {
  public var description: String {
    switch self {
    case .dependencies: "the calls that it depends on"
    case .slot: "a slot"
    case .rateLimit: "the rate limit"
    case .network: "the network"
    case .backoff(let wait): "\(wait.shownShort) until the next attempt"
    case .sharedResponse(let other): "the response of #\(other)"
    }
  }
}

extension CacheDecision: CustomStringConvertible {
  public var description: String {
    switch self {
    case .missing: "no response"
    case .stale(let age): "the response is too old (\(age.shownShort))"
    case .hit(let age): "a response, \(age.shownShort) old"
    case .hitAndRenew(let age): "a response, \(age.shownShort) old, which is being renewed"
    case .fallback(let age): "a response, \(age.shownShort) old, because the server is unavailable"
    case .http(let status): "\(status)"
    }
  }
}

extension EventRequest: CustomStringConvertible {
  public var description: String { LogText.line("\(method) \(url.clippedURL)") }
}

extension EventResponse: CustomStringConvertible {
  public var description: String { bodyLength.map { "\(status), \($0) bytes" } ?? "\(status)" }
}

extension EventFailure: CustomStringConvertible {
  public var description: String { LogText.line(message) }
}

extension Duration {
  /// The duration with about three digits: `12.3 ms`, `1.23 s`.
  package var shownShort: String {
    let seconds = seconds
    if seconds < 0.0995 { return "\((seconds * 10_000).rounded() / 10) ms" }
    if seconds < 0.9995 { return "\(Int((seconds * 1000).rounded())) ms" }
    return "\((seconds * 100).rounded() / 100) s"
  }
}
