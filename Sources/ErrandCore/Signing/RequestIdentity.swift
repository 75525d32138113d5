/// The identity that a request is sent for, which tells responses apart that are shared or cached: the client's own,
/// the one of its credential, and the one of the signer; and what is done to the bodies of the request and the
/// response.
struct RequestIdentity: Sendable {
  private let client: ClientIdentity
  private let signer: (any RequestSigner)?

  init(client: ClientIdentity, signer: (any RequestSigner)?) {
    self.client = client
    self.signer = signer
  }

  /// Returns the identity that a request of a call is sent for.
  func callAsFunction(_ request: Request, _ context: CallContext) -> CallIdentity {
    completed(client(context), request)
  }

  /// Returns the identity that a request would be sent for now.
  func present(_ request: Request) -> CallIdentity { completed(client.present, request) }

  /// True if calls that begin now are of the era of this one.
  func isPresent(_ identity: CallIdentity) -> Bool { identity.era == client.era }

  private func completed(_ client: CallIdentity, _ request: Request) -> CallIdentity {
    let parts = parts(of: request.options)
    if parts.isEmpty { return client }
    var identity = client
    // Lengths keep them apart.
    identity.text =
      (["\(client.text?.utf8.count ?? -1) \(client.text ?? "")"]
      + parts.map { "\($0.utf8.count) \($0)" }).joined(separator: " ")
    return identity
  }

  private func parts(of options: RequestOptions) -> [String] {
    var parts: [String] = []
    if let signing = signing(options) { parts.append("signed \(signing)") }
    guard options.hasContentCode else { return parts }
    if let coding = options.bodyCoding { parts.append("in \(coding.value.identity)") }
    return parts + options.responseFilters.map { "through \($0.value.identity)" }
  }

  private func signing(_ options: RequestOptions) -> String? {
    if let own = options.ownSigner { return own.identity }
    guard let signer else { return nil }
    return options.isUnsigned ? "not" : signer.identity.map { "as \($0)" }
  }
}
