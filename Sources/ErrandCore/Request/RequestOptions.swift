/// The options of a request. `Request`'s modifiers set them; nil means: as the client is configured.
public struct RequestOptions: Sendable, Hashable {
  /// The time after which an attempt fails when nothing moved: no connection made, no byte out, no byte in.
  public var timeout: Duration?
  /// The time after which the whole call fails, with all its attempts and the waits between them.
  public var deadline: Duration?
  /// Which failures are retried, and when.
  public var retry: RetryPolicy?
  /// Which responses are accepted.
  public var validator = ResponseValidator()
  /// The maximum number of the response's bytes to hold in memory, after decompression.
  public var memoryLimit: Int?
  /// True if the body is sent with `Content-Encoding: gzip`.
  public var compressesBody = false
  /// The HTTP version to use.
  public var httpVersion = HTTPVersionPreference.automatic
  /// Which redirects are followed.
  public var redirects: RedirectPolicy?
  /// The priority of the request.
  public var priority = Priority.default
  /// True if the request is sent whatever the client's `limits` are, and counts for none of them: for callers
  /// with limits of their own.
  package var takesNoSlot = false
  /// True if the request is sent without the client's credential.
  public var isUnauthenticated = false
  /// True if the request is sent without the signature of the client's signer.
  public var isUnsigned = false
  /// The options that few requests use, in one object, so that other requests do not carry them.
  private var stages: Stages?

  package init() {}

  /// True if the request uses any of these options.
  var hasStages: Bool { stages != nil }

  /// Those of these options for which a request passes a stage that others do not pass.
  var stageOptions: StageOption { stages?.options ?? [] }

  /// The time after which an attempt fails when there is no connection; nil for the client's.
  public var connectTimeout: Duration? {
    get { stages?.values.connectTimeout }
    set { change { $0.connectTimeout = newValue } }
  }

  /// The calls that must have succeeded before the request is sent.
  public var dependencies: [Call] {
    get { stages?.values.dependencies ?? [] }
    set { change { $0.dependencies = newValue } }
  }

  /// The activity that shows the request while it is in flight, and how; nil for none.
  public var activity: ActivityUse? {
    get { stages?.values.activity }
    set { change { $0.activity = newValue } }
  }

  /// The treatment of the request when the same one is sent again; nil sends it each time.
  package var repeats: RepeatRule? {
    get { stages?.values.repeats }
    set { change { $0.repeats = newValue } }
  }

  /// The name and the policy for the response cache; nil if the response is not cached.
  public var caching: CacheRule? {
    get { stages?.values.caching }
    set { change { $0.caching = newValue } }
  }

  /// The request's own signer; nil for the client's.
  public var signer: (any RequestSigner)? {
    get { ownSigner?.signer }
    set { change { $0.signing.own = newValue.map(OwnSigner.init) } }
  }

  var ownSigner: OwnSigner? { stages?.values.signing.own }

  /// The signers that only describe the request, and come before the one that signs.
  var digests: [any RequestSigner] { stages?.values.signing.digests.map(\.value) ?? [] }

  /// True if the request is signed or described by code of its own.
  package var hasOwnSigners: Bool { ownSigner != nil || !digests.isEmpty }

  /// Adds a signer that only describes the request: it comes before the one that signs.
  package mutating func describe(by signer: any RequestSigner) {
    change { $0.signing.digests.append(OnlyItself(signer)) }
  }

  /// The state of a request that the signing stage has passed on; nil before, and for one that is not signed.
  var signingPass: SigningPass? {
    get { stages?.values.signing.pass }
    set { change { $0.signing.pass = newValue } }
  }

  /// The coding of the body, after its compression.
  package var bodyCoding: OnlyItself<any BodyCoding>? {
    get { stages?.values.bodyCoding }
    set { change { $0.bodyCoding = newValue } }
  }

  /// The filters of responses' bodies, in order.
  var responseFilters: [OnlyItself<any ResponseFilter>] {
    get { stages?.values.responseFilters ?? [] }
    set { change { $0.responseFilters = newValue } }
  }

  /// True if the body is coded, or responses are filtered, by code that is the request's own.
  package var hasContentCode: Bool { bodyCoding != nil || !responseFilters.isEmpty }

  /// The digest of the name of the identity that the request may be sent for; nil for any.
  package var identityDigest: String? {
    get { stages?.values.identityDigest }
    set { change { $0.identityDigest = newValue } }
  }

  /// The span in which the request was stored; nil for none.
  package var trace: TraceContext? {
    get { stages?.values.trace }
    set { change { $0.trace = newValue } }
  }

  /// The credential that the request has been given; nil if it has none, or one that needs no care.
  package var credential: AttachedCredential? {
    get { stages?.values.credential }
    set { change { $0.credential = newValue } }
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
      var signing = SigningOptions()
      var bodyCoding: OnlyItself<any BodyCoding>?
      var responseFilters: [OnlyItself<any ResponseFilter>] = []
      var credential: AttachedCredential?
      var identityDigest: String?
      var trace: TraceContext?
    }

    let values: Values
    let options: StageOption

    init(_ values: Values) {
      self.values = values
      var options: StageOption = []
      if !values.dependencies.isEmpty { options.insert(.dependencies) }
      if values.repeats != nil { options.insert(.repeats) }
      if values.caching != nil { options.insert(.caching) }
      if values.signing.own != nil || !values.signing.digests.isEmpty { options.insert(.signing) }
      self.options = options
    }

    static func == (left: Stages, right: Stages) -> Bool { left.values == right.values }
    func hash(into hasher: inout Hasher) { hasher.combine(values) }
  }
}
