import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Request {
  /// Refuses a request that cannot be stored, before anything is written: an invalid one, one with
  /// credentials, or one that only this process can carry out.
  /// - Parameter other: Another reason to refuse it.
  /// - Throws: `OutboxError.notStorable`, with advice. The message has no secret.
  func checkStorable(hiding secrets: Secrets, or other: String? = nil) throws(OutboxError) {
    if let reason = problem ?? credentialProblem(secrets) ?? bodyProblem ?? optionsProblem ?? other {
      throw OutboxError(.notStorable, "\(method) \(urlText(hiding: secrets).clippedURL): \(reason)")
    }
  }

  private func credentialProblem(_ secrets: Secrets) -> String? {
    let advice = "add it in one of the client's attemptInterceptors, which run at each attempt"
    if let field = fields.first(where: secrets.hides) {
      let what = secrets.covers(field) ? "is a secret" : "has a URL with a secret in it"
      return "the field \(field.name) \(what), and no secret is stored; \(advice)"
    }
    guard let url else { return nil }
    if url.user(percentEncoded: true) != nil || url.password(percentEncoded: true) != nil {
      return "the URL has a user or a password in it, and no secret is stored; "
        + "set Authorization in one of the client's attemptInterceptors, which run at each attempt"
    }
    if let part = secrets.secretPart(of: url.absoluteString) {
      return "\(part) is a secret, and no secret is stored; \(advice), "
        + "or remove it from the client's secrets if it is not a secret"
    }
    return nil
  }

  private var bodyProblem: String? {
    switch body.layout {
    case .stream:
      "a stream can be read only once and cannot be stored; write it to a file and send that (RequestBody.file)"
    case .source:
      "the body is opened by code and cannot be stored; send bytes, a file or a form"
    case .none, .bytes, .file, .multipart, .invalid: nil
    }
  }

  private var optionsProblem: String? {
    let times = [
      ("deadline", options.deadline), ("time-out", options.timeout),
      ("connect time-out", options.connectTimeout),
    ]
    if let (name, _) = times.first(where: { $1 ?? .seconds(1) <= .zero }) {
      return
        "its \(name) is zero or less, so each attempt would end before it begins; set a longer one, or remove it"
    }
    if !options.validator.checks.isEmpty {
      return
        "a check of the response is code and cannot be stored; let one of the client's interceptors check"
    }
    if !options.dependencies.isEmpty {
      return
        "the calls that it depends on end with this process and cannot be stored; use a lane to keep an order"
    }
    if options.repeats != nil {
      return
        "a rule for repeats works only within this process and cannot be stored; store the request once, or set an "
        + "idempotency key"
    }
    if options.rateRule != nil {
      return
        "a rate limit with a key works only within this process and cannot be stored; give the item a key, and limit "
        + "that with the outbox's rateLimitOf"
    }
    if !options.invalidated.isEmpty {
      return
        "the reads that it makes out of date (invalidating) belong to this process and cannot be stored; invalidate "
        + "them when the outbox reports that the request was delivered"
    }
    if options.networkRule != nil {
      return
        "an outbox waits for the network anyway, so the request need not (waitsForNetwork), and its monitor cannot be "
        + "stored"
    }
    if options.hedging != nil {
      return
        "an outbox keeps the order and the limits of its requests, so none of them has a second attempt beside the "
        + "first; remove hedged(after:)"
    }
    if options.hasOwnSigners {
      return
        "the request's signer is code and cannot be stored; give the signer to the outbox's client "
        + "(ClientConfiguration.signer), which signs each attempt"
    }
    if options.hasContentCode {
      return
        "encryption and digests of its content are code with keys and cannot be stored; let one of the client's "
        + "attemptInterceptors request them at each attempt"
    }
    if options.caching != nil || options.usesHTTPCache {
      return
        "a request that may be served from cached responses cannot be stored, because it need not be sent; send it with a client"
    }
    return nil
  }
}

extension RequestBody {
  /// False for a body that can be read only once, or that code opens.
  var isStorable: Bool {
    switch layout {
    case .none, .bytes, .file, .multipart: true
    case .stream, .source, .invalid: false
    }
  }
}
