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
    let parts = request.options.parts(of: key, OptionMark.Usual(retry: retry, signer: signer?.identity))
    // A client's name that begins with the mark must not be taken for the longer text.
    if parts.isEmpty, client.text?.hasPrefix(Self.mark) != true { return client }
    var identity = client
    identity.text = Self.mark + ([client.text.map { "as \($0)" } ?? ""] + parts).asOneText
    return identity
  }
}
