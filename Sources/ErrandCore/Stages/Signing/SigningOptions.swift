/// The options of a request that concern its signature.
struct SigningOptions: Sendable, Hashable {
  var own: OwnSigner?
  /// Signers that only describe the request, such as with a digest. They run before the request's or the
  /// client's signer.
  var digests: [OnlyItself<any RequestSigner>] = []
  var pass: SigningPass?
}

/// The state of a request that the last stage needs: whether its signature is for its target, and which
/// redirects led to it.
struct SigningPass: Sendable, Hashable {
  /// False once a redirect has led to another origin, which is not signed for.
  var isSigned = true
  /// The number of redirects that the attempt has followed.
  var followed = 0
  /// The time at which the attempt began; nil before.
  var began: Duration?
}

/// A request's own signer. Two are equal only if they are the same object.
final class OwnSigner: Sendable, Hashable {
  let signer: any RequestSigner
  /// Tells the signer from others that have no name.
  private let number = UInt64.random(in: 0...(.max))

  init(_ signer: any RequestSigner) { self.signer = signer }

  var identity: String { signer.identity.map(Self.text(of:)) ?? "by \(number)" }

  static func text(of identity: String) -> String { "as \(identity)" }

  static func == (left: OwnSigner, right: OwnSigner) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Request {
  /// Signs each attempt with this signer instead of the client's (`ClientConfiguration.signer`).
  public func signed(by signer: any RequestSigner) -> Request { with { $0.options.signer = signer } }

  /// Sends the request without a signature, whatever the client's signer is.
  public func unsigned() -> Request {
    with {
      $0.options.signer = nil
      $0.options.isUnsigned = true
    }
  }
}

/// The identity that a request is sent for, which keeps shared or cached responses apart. It consists of the
/// client's identity, the identities of its credential and of the signer, and the request's options that are
/// part of the key.
struct RequestIdentity: Sendable {
  private let client: ClientIdentity
  private let signer: (any RequestSigner)?
  private let retry: RetryPolicy
  private static let mark = "options: "

  /// - Parameters:
  ///   - signer: The signer of requests without one.
  ///   - retry: The policy of requests without one.
  init(client: ClientIdentity, signer: (any RequestSigner)? = nil, retry: RetryPolicy = RetryPolicy()) {
    self.client = client
    self.signer = signer
    self.retry = retry
  }

  /// Returns the identity that a request of a call is sent for, as part of a key.
  func callAsFunction(_ request: Request, _ context: CallContext, in key: OptionMark.Keys) -> CallIdentity {
    completed(client(context), request, key)
  }

  /// Returns the identity that a request would be sent for now, as part of a key.
  func present(_ request: Request, in key: OptionMark.Keys) -> CallIdentity {
    completed(client.present, request, key)
  }

  /// True if calls that begin now have the same era as this identity.
  func isPresent(_ identity: CallIdentity) -> Bool { identity.era == client.era }

  private func completed(
    _ client: CallIdentity, _ request: Request, _ key: OptionMark.Keys
  ) -> CallIdentity {
    let options = request.options
    // Only rare options are part of this key.
    if key == .exchange, signer == nil, !options.hasStages, !options.isUnauthenticated, !options.isUnsigned,
      client.text?.hasPrefix(Self.mark) != true
    {
      return client
    }
    let parts = options.parts(of: key, OptionMark.Usual(retry: retry, signer: signer?.identity))
    // A client's name that begins with the mark must not be taken for the longer text.
    if parts.isEmpty, client.text?.hasPrefix(Self.mark) != true { return client }
    var identity = client
    identity.text = Self.mark + ([client.text.map { "as \($0)" } ?? ""] + parts).asOneText
    return identity
  }
}
