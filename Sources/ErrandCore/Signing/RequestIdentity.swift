/// The identity that a request is sent for, which tells responses apart that are shared or cached: the client's own,
/// the one of its credential, and the one of the signer.
struct RequestIdentity: Sendable {
  private let client: (@Sendable () -> String?)?
  private let signer: (any RequestSigner)?

  init(client: (@Sendable () -> String?)?, signer: (any RequestSigner)?) {
    self.client = client
    self.signer = signer
  }

  func callAsFunction(_ request: Request) -> String? {
    let client = client?()
    guard let signing = signing(request.options) else { return client }
    // Lengths keep the two apart.
    return "\(client?.utf8.count ?? -1) \(client ?? "") signed \(signing)"
  }

  private func signing(_ options: RequestOptions) -> String? {
    if let own = options.ownSigner { return own.identity }
    guard let signer else { return nil }
    return options.isUnsigned ? "not" : signer.identity.map { "as \($0)" }
  }
}
