/// The outcome of an attempt with a credential.
struct CredentialReply: Sendable {
  let outcome: Result<Response, any Error>
  /// The head of the response, if the server that the credential is for sent it. Another origin's opinion of the
  /// credential, which it was not sent, does not count.
  let head: ResponseHead?

  init(to request: Request, _ send: () async throws -> Response) async {
    do {
      let response = try await send()
      outcome = .success(response)
      let isOfOrigin =
        response.timing.redirects == 0 || Origin(response.url)?.text == request.address.originName
      head = isOfOrigin ? response.head : nil
    } catch {
      outcome = .failure(error)
      guard let error = error as? RequestError, error.origin == request.address.originName,
        let status = error.status
      else {
        head = nil
        return
      }
      head = ResponseHead(status: status, fields: error.fields ?? [:])
    }
  }

  /// The stream of the response's body, if it is one.
  var stream: ByteStream? {
    if case .success(let response) = outcome, case .chunks(let stream) = response.body { stream } else { nil }
  }

  /// Gives the response up; returns when its request has left the wire.
  func drop() async { await stream?.drop() }

  static func notReplayable(_ stale: ResponseHead) -> RequestError {
    RequestError(
      .bodyNotReplayable,
      message:
        "the server responded with \(stale.status), and the body is a stream that cannot be sent again "
        + "with the new credential: send the request once more",
      status: stale.status, fields: stale.fields, reachedServer: true)
  }
}
