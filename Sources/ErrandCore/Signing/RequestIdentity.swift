/// The identity that a request is sent for, which tells responses apart that are shared or cached: the client's own,
/// the one of its credential, and the one of the signer; and what is done to the bodies of the request and the
/// response.
struct RequestIdentity: Sendable {
  private let client: (@Sendable () -> String?)?
  private let signer: (any RequestSigner)?

  init(client: (@Sendable () -> String?)?, signer: (any RequestSigner)?) {
    self.client = client
    self.signer = signer
  }

  func callAsFunction(_ request: Request) -> String? {
    let client = client?()
    let parts = parts(of: request.options)
    if parts.isEmpty { return client }
    // Lengths keep them apart.
    return (["\(client?.utf8.count ?? -1) \(client ?? "")"] + parts.map { "\($0.utf8.count) \($0)" })
      .joined(separator: " ")
  }

  private func parts(of options: RequestOptions) -> [String] {
    var parts: [String] = []
    if let signing = signing(options) { parts.append("signed \(signing)") }
    guard options.hasStages else { return parts }
    if let coding = options.bodyCoding { parts.append("in \(coding.value.identity)") }
    return parts + options.responseFilters.map { "through \($0.value.identity)" }
  }

  private func signing(_ options: RequestOptions) -> String? {
    if let own = options.ownSigner { return own.identity }
    guard let signer else { return nil }
    return options.isUnsigned ? "not" : signer.identity.map { "as \($0)" }
  }
}
