/// The options of a request, which `Request`'s modifiers set. Nil stands for the client's configuration.
package struct RequestOptions: Sendable, Hashable {
  /// The time-out: an attempt fails when no connection was made and no byte was sent or received for this
  /// long.
  package var timeout: Duration?
  /// The time after which the whole call fails, including all attempts and the waits between them.
  package var deadline: Duration?
  /// The policy for retries: the failures after which there is another attempt, and the waits before it.
  package var retry: RetryPolicy?
  /// Boxed, and nil for the usual check, so that copies of most requests need no copy of it.
  private var ownValidator: Boxed<ResponseValidator>?
  /// The maximum number of the response's bytes to hold in memory, after decompression.
  package var memoryLimit: Int?
  /// True if the body is sent with `Content-Encoding: gzip`.
  package var compressesBody = false
  /// The HTTP version to use.
  package var httpVersion = HTTPVersionPreference.automatic
  /// The policy for redirects.
  package var redirects: RedirectPolicy?
  /// The priority of the request.
  package var priority = Priority.default
  /// True if the request ignores the client's `limits` and does not count for them, because its caller has
  /// other limits.
  package var takesNoSlot = false
  /// True if the request is sent without the client's credential.
  package var isUnauthenticated = false
  /// True if the request is sent without the signature of the client's signer.
  package var isUnsigned = false
  /// The options that few requests use, in a separate object, so that other requests do not carry them.
  private var stages: Stages?

  package init() {}

  /// The check that decides if a response is accepted.
  package var validator: ResponseValidator {
    get { ownValidator?.value ?? ResponseValidator() }
    set { ownValidator = newValue == ResponseValidator() ? nil : Boxed(newValue) }
  }

  /// True if the request uses any of these options.
  var hasStages: Bool { stages != nil }

  /// The options that make the request pass additional stages.
  var stageOptions: StageOption { stages?.options ?? [] }

  /// The time in which an attempt must be connected; nil for the client's.
  package var connectTimeout: Duration? {
    get { stages?.values.connectTimeout }
    set { change { $0.connectTimeout = newValue } }
  }

  /// The calls that must have succeeded before the request is sent.
  package var dependencies: [Call] {
    get { stages?.values.dependencies ?? [] }
    set { change { $0.dependencies = newValue } }
  }

  /// The activity that shows the request while it is in flight, and how; nil for none.
  package var activity: ActivityUse? {
    get { stages?.values.activity }
    set { change { $0.activity = newValue } }
  }

  /// The rule for repeats of the same request; nil sends each of them.
  package var repeats: RepeatRule? {
    get { stages?.values.repeats }
    set { change { $0.repeats = newValue } }
  }

  /// The name and the policy for the response cache; nil if the response is not cached.
  package var caching: CacheRule? {
    get { stages?.values.caching }
    set { change { $0.caching = newValue } }
  }

  /// True if the request uses the client's cache by HTTP's rules.
  package var usesHTTPCache: Bool {
    get { stages?.values.usesHTTPCache ?? false }
    set { change { $0.usesHTTPCache = newValue } }
  }

  /// Records for the HTTP cache what happens to a request that it forwards; nil if the cache did not forward it.
  var forwardRecord: OnlyItself<ForwardRecord>? {
    get { stages?.values.forwardRecord }
    set { change { $0.forwardRecord = newValue } }
  }

  /// True if the response may be that of another request, so that the request is more than one exchange.
  package var hasSharedResponse: Bool {
    caching != nil || usesHTTPCache || repeats.map { $0.kind != .latest } ?? false
  }

  /// The signer of this request; nil for the client's.
  package var signer: (any RequestSigner)? {
    get { ownSigner?.signer }
    set { change { $0.signing.own = newValue.map(OwnSigner.init) } }
  }

  var ownSigner: OwnSigner? { stages?.values.signing.own }

  /// The signers that only describe the request. They run before the one that signs.
  var digests: [any RequestSigner] { stages?.values.signing.digests.map(\.value) ?? [] }

  /// True if the request has a signer, or describing signers, besides the client's.
  package var hasOwnSigners: Bool { ownSigner != nil || !digests.isEmpty }

  /// Adds a signer that only describes the request and runs before the one that signs.
  package mutating func describe(by signer: any RequestSigner) {
    change { $0.signing.digests.append(OnlyItself(signer)) }
  }

  /// Drops the request's signers that may not sign for a new origin.
  mutating func keepSigners(_ maySign: (any RequestSigner) -> Bool) {
    if let own = ownSigner, !maySign(own.signer) {
      signer = nil
      isUnsigned = true
    }
    guard !digests.allSatisfy(maySign) else { return }
    change { values in values.signing.digests.removeAll { !maySign($0.value) } }
  }

  /// The state of a request that has passed the signing stage; nil before, and if the request is not signed.
  var signingPass: SigningPass? {
    get { stages?.values.signing.pass }
    set { change { $0.signing.pass = newValue } }
  }

  /// The coding that is applied to the body after compression.
  package var bodyCoding: OnlyItself<any BodyCoding>? {
    get { stages?.values.bodyCoding }
    set { change { $0.bodyCoding = newValue } }
  }

  /// The filters for the bodies of responses, in order.
  var responseFilters: [OnlyItself<any ResponseFilter>] {
    get { stages?.values.responseFilters ?? [] }
    set { change { $0.responseFilters = newValue } }
  }

  /// True if the response's body is delivered as it was transferred, without decoding its content codings.
  package var isUndecoded: Bool {
    get { stages?.values.isUndecoded ?? false }
    set { change { $0.isUndecoded = newValue } }
  }

  /// True if the transport decodes the content codings of the response.
  var decodesContent: Bool {
    guard let values = stages?.values else { return true }
    return values.responseFilters.isEmpty && !values.isUndecoded
  }

  /// True if the request codes its body, or filters responses.
  package var hasContentCode: Bool { bodyCoding != nil || !responseFilters.isEmpty }

  /// The digest of the name of the only identity that the request may be sent for; nil for any.
  package var identityDigest: String? {
    get { stages?.values.identityDigest }
    set { change { $0.identityDigest = newValue } }
  }

  /// The span in which the request was stored; nil if it was stored outside a span.
  package var trace: TraceContext? {
    get { stages?.values.trace }
    set { change { $0.trace = newValue } }
  }

  /// The credential that the authentication stage has added; nil without a credential, or if redirects
  /// do not affect it.
  package var credential: AttachedCredential? {
    get { stages?.values.credential }
    set { change { $0.credential = newValue } }
  }

  /// The rate limit for the requests with the same key; nil for none.
  package var rateRule: RateRule? {
    get { stages?.values.rateRule }
    set { change { $0.rateRule = newValue } }
  }

  /// The keys of the reads that the request makes out of date.
  package var invalidated: [RequestKey] {
    get { stages?.values.invalidated ?? [] }
    set { change { $0.invalidated = newValue } }
  }

  /// The rule for waiting for the network; nil if the request does not wait.
  package var networkRule: NetworkRule? {
    get { stages?.values.networkRule }
    set { change { $0.networkRule = newValue } }
  }

  /// The time after which a second attempt is made; nil for the client's.
  package var hedging: HedgeDelay? {
    get { stages?.values.hedging }
    set { change { $0.hedging = newValue } }
  }

  /// The attempt's pass of the rate limits; nil if none applies.
  var heldPass: OnlyItself<HeldPass>? {
    get { stages?.values.heldPass }
    set { change { $0.heldPass = newValue } }
  }

  /// The attempt's place in the race of two attempts; nil for an attempt that is alone.
  var hedgeLeg: HedgeLeg? {
    get { stages?.values.hedgeLeg }
    set { change { $0.hedgeLeg = newValue } }
  }

  private mutating func change(_ change: (inout Stages.Values) -> Void) {
    var values = stages?.values ?? Stages.Values()
    change(&values)
    stages = values == Stages.Values() ? nil : Stages(values)
  }

  private final class Stages: Sendable, Hashable {
    struct Values: Sendable, Hashable {
      var connectTimeout: Duration?
      var dependencies: [Call] = []
      var activity: ActivityUse?
      var repeats: RepeatRule?
      var caching: CacheRule?
      var usesHTTPCache = false
      var isUndecoded = false
      var forwardRecord: OnlyItself<ForwardRecord>?
      var signing = SigningOptions()
      var bodyCoding: OnlyItself<any BodyCoding>?
      var responseFilters: [OnlyItself<any ResponseFilter>] = []
      var credential: AttachedCredential?
      var identityDigest: String?
      var trace: TraceContext?
      var rateRule: RateRule?
      var invalidated: [RequestKey] = []
      var networkRule: NetworkRule?
      var hedging: HedgeDelay?
      var hedgeLeg: HedgeLeg?
      var heldPass: OnlyItself<HeldPass>?
    }

    let values: Values
    let options: StageOption

    init(_ values: Values) {
      self.values = values
      var options: StageOption = []
      if !values.dependencies.isEmpty { options.insert(.dependencies) }
      if values.repeats != nil { options.insert(.repeats) }
      if values.caching != nil || values.usesHTTPCache { options.insert(.caching) }
      if values.signing.own != nil || !values.signing.digests.isEmpty { options.insert(.signing) }
      if values.rateRule != nil { options.insert(.rateLimit) }
      if !values.invalidated.isEmpty { options.insert(.invalidating) }
      if values.networkRule != nil { options.insert(.network) }
      if values.hedging != nil { options.insert(.hedging) }
      self.options = options
    }

    static func == (left: Stages, right: Stages) -> Bool { left.values == right.values }
    func hash(into hasher: inout Hasher) { hasher.combine(values) }
  }
}

/// Boxes a value that cannot be compared, in an object that equals only itself.
package final class OnlyItself<Value: Sendable>: Sendable, Hashable {
  package let value: Value

  package init(_ value: Value) { self.value = value }

  package static func == (left: OnlyItself, right: OnlyItself) -> Bool { left === right }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
