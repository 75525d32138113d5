/// The mark of one option of a request: the keys that include the option. Keys decide which requests are the
/// same, and which responses are shared or cached. Every option has a mark; a test compares `all` with the
/// properties of `RequestOptions`.
struct OptionMark: Sendable {
  /// The keys that an option may be part of.
  struct Keys: OptionSet, Sendable {
    let rawValue: Int

    /// The key of a request that never gets the response of another: an ignored repeat, or the newest of
    /// several.
    static let repeats = Keys(rawValue: 1)
    /// The key of a shared request.
    static let sharing = Keys(rawValue: 2)
    /// The key of a cached response.
    static let caching = Keys(rawValue: 4)

    /// The key of a response that was cached by HTTP's rules.
    static let exchange = Keys(rawValue: 8)

    static let responses: Keys = [.sharing, .caching]
    static let all: Keys = [.repeats, .sharing, .caching, .exchange]
  }

  /// The role of an option in the keys that it is not part of.
  enum Otherwise: Sendable {
    /// It is applied to each caller, whichever of them sent the request.
    case appliedToEachCaller(StaticString)
    /// It changes nothing about the response.
    case irrelevant(StaticString)
  }

  /// The name of the property, as `Mirror` reports it.
  let name: String
  let keys: Keys
  /// Nil for an option that is part of every key.
  let otherwise: Otherwise?
  private let text: @Sendable (RequestOptions, Usual) -> String?

  /// The client's defaults, for requests that do not set the option themselves.
  struct Usual: Sendable {
    var retry = RetryPolicy()
    /// The identity of the client's signer; nil if it has no signer, or the signer has no identity.
    var signer: String?
  }

  /// Returns the option as a part of a key; nil if it is not set.
  func part(_ options: RequestOptions, _ usual: Usual) -> String? {
    text(options, usual).map { "\(name) \($0)" }
  }

  private static func part(
    _ name: String, of keys: Keys, else otherwise: Otherwise? = nil,
    _ text: @escaping @Sendable (RequestOptions) -> String?
  ) -> OptionMark {
    OptionMark(name: name, keys: keys, otherwise: otherwise) { options, _ in text(options) }
  }

  private static func noPart(_ name: String, _ role: Otherwise) -> OptionMark {
    OptionMark(name: name, keys: [], otherwise: role) { _, _ in nil }
  }

  static let all: [OptionMark] = [
    // The identity of the request, and the coding of its bodies.
    part("isUnauthenticated", of: .all) { $0.isUnauthenticated ? "" : nil },
    part("isUnsigned", of: .all) { $0.isUnsigned ? "" : nil },
    OptionMark(
      name: "stages.signing.own", keys: .all, otherwise: nil,
      text: { options, usual in
        options.ownSigner?.identity
          ?? (options.isUnsigned ? nil : usual.signer.map(OwnSigner.text(of:)))
      }),
    part("stages.signing.digests", of: .all) { options in
      let names = options.digests.map { $0.identity ?? "\(type(of: $0))" }
      return names.isEmpty ? nil : names.asOneText
    },
    part("stages.bodyCoding", of: .all) { $0.bodyCoding?.value.identity },
    part("stages.responseFilters", of: .all) { options in
      options.responseFilters.isEmpty ? nil : options.responseFilters.map(\.value.identity).asOneText
    },
    part(
      "stages.isUndecoded", of: [.responses, .exchange],
      else: .irrelevant("an ignored repeat gets no response")
    ) { $0.isUndecoded ? "" : nil },
    part("stages.identityDigest", of: .all) { $0.identityDigest },

    // Options of the transfer. A shared request has one value of each, so callers with other values do not
    // join it.
    part("redirects", of: .responses, else: .irrelevant("an ignored repeat gets no response")) {
      $0.redirects?.keyText
    },
    part("timeout", of: .sharing, else: .irrelevant("nothing is transferred")) { options in
      options.timeout.map { "\($0)" }
    },
    part("stages.connectTimeout", of: .sharing, else: .irrelevant("nothing is transferred")) { options in
      options.connectTimeout.map { "\($0)" }
    },
    OptionMark(
      name: "retry", keys: .sharing, otherwise: .irrelevant("nothing is transferred"),
      text: { options, usual in
        // A status that is accepted is not retried, so callers share only if they accept the same retried
        // statuses.
        let (retried, accepted) = ((options.retry ?? usual.retry).statuses, options.validator.statuses)
        let text = options.retry?.keyText
        let both = retried.filter { accepted.contains(HTTPStatus($0)) }
        return both.isEmpty ? text : [text ?? "", "\(both.sorted())"].asOneText
      }),
    part(
      "memoryLimit", of: .sharing, else: .appliedToEachCaller("a cached response that is larger is not used")
    ) { options in options.memoryLimit.map { "\($0)" } },
    part("stages.networkRule", of: .sharing, else: .irrelevant("the response is the same")) { options in
      options.networkRule.map { "\($0.limit)" }
    },
    part("compressesBody", of: .sharing, else: .irrelevant("the server gets the same body")) {
      $0.compressesBody ? "" : nil
    },
    part("httpVersion", of: .sharing, else: .irrelevant("the response is the same")) {
      $0.httpVersion == .automatic ? nil : "\($0.httpVersion)"
    },
    part("stages.caching", of: .sharing, else: .appliedToEachCaller("the lookup is by this rule")) {
      options in
      options.caching.map { "\($0.policy.kind) \($0.name)" }
    },

    part(
      "stages.usesHTTPCache", of: .sharing,
      else: .appliedToEachCaller("the cache serves all requests by the same rules")
    ) { $0.usesHTTPCache ? "" : nil },

    // Options that are applied to each caller.
    noPart("deadline", .appliedToEachCaller("it ends the caller's own wait")),
    noPart("priority", .appliedToEachCaller("a shared request has the highest of its callers'")),
    noPart("takesNoSlot", .appliedToEachCaller("one caller with it is enough")),
    noPart("validator.statuses", .appliedToEachCaller("each caller checks the response")),
    noPart("validator.contentTypes", .appliedToEachCaller("each caller checks the response")),
    noPart("validator.requiresBody", .appliedToEachCaller("each caller checks the response")),
    noPart("validator.checks", .appliedToEachCaller("each caller checks the response")),
    noPart("stages.dependencies", .appliedToEachCaller("each caller waits before it joins")),
    noPart("stages.activity", .appliedToEachCaller("it shows the caller's own call")),
    noPart(
      "stages.rateRule", .appliedToEachCaller("a shared request has the limit of the caller that sent it")),
    noPart(
      "stages.hedging",
      .appliedToEachCaller("a shared request is hedged by the rule of the caller that sent it")),
    noPart("stages.invalidated", .appliedToEachCaller("each write makes its own reads out of date")),
    noPart("stages.repeats", .appliedToEachCaller("the key is made by this rule")),

    // Options that are set only after the key is made, or that do not select the response.
    noPart("stages.signing.pass", .irrelevant("the signing stage sets it, for one attempt")),
    noPart("stages.credential", .irrelevant("the authentication stage sets it, for one attempt")),
    noPart("stages.forwardRecord", .irrelevant("the HTTP cache sets it, for one forwarded request")),
    noPart("stages.heldPass", .irrelevant("the rate limits set it, for one attempt")),
    noPart("stages.hedgeLeg", .irrelevant("the hedging stage sets it, for one attempt")),
    noPart("stages.trace", .irrelevant("the fields that trace a request select no response")),
  ]
}

extension RequestOptions {
  /// Returns the options that are part of a key, as text that is the same in every process.
  func parts(of key: OptionMark.Keys, _ usual: OptionMark.Usual) -> [String] {
    var parts: [String] = []
    for mark in OptionMark.all where mark.keys.isSuperset(of: key) {
      if let part = mark.part(self, usual) { parts.append(part) }
    }
    return parts
  }
}

extension RequestOptions {
  /// The identity that a request is sent for, as text. It is the same whenever the same code creates the
  /// request.
  package var textOfIdentity: String {
    let code: [Any] =
      [ownSigner?.signer].compactMap(\.self) + digests + responseFilters.map(\.value)
      + [bodyCoding?.value].compactMap(\.self)
    let names = code.map { ($0 as? any RequestSigner)?.identity ?? "\(type(of: $0))" }
    let marks = [
      isUnauthenticated ? "unauthenticated" : "", isUnsigned ? "unsigned" : "", identityDigest ?? "",
    ]
    return (marks + names).asOneText
  }
}

extension RetryPolicy {
  private static let usual = RetryPolicy()

  /// The options that differ from the default policy: most policies differ only in their number of attempts.
  fileprivate var keyText: String {
    let usual = Self.usual
    var text = "\(maxAttempts)"
    if methods != usual.methods { text += " methods \(methods.map(\.rawValue).sorted().asOneText)" }
    if statuses != usual.statuses { text += " statuses \(statuses.sorted())" }
    if failures != usual.failures { text += " failures \(failures.map(\.rawValue).sorted().asOneText)" }
    if backoff != usual.backoff { text += " backoff \(backoff)" }
    if maxBackoff != usual.maxBackoff { text += " maxBackoff \(maxBackoff)" }
    if maxRetryAfter != usual.maxRetryAfter { text += " maxRetryAfter \(maxRetryAfter)" }
    return text
  }
}

extension RedirectPolicy {
  fileprivate var keyText: String {
    "\(limit) \([allowsDowngrade, allowsOtherOrigins, allowsChangeOfMethod])"
  }
}

extension [String] {
  /// Joins the texts to one. Each has its length before it, so two different lists never give the same text.
  var asOneText: String {
    var text = ""
    for part in self {
      if !text.isEmpty { text += " " }
      text += String(part.utf8.count)
      text += " "
      text += part
    }
    return text
  }
}
