import ErrandCore

/// The outcome of an attempt with a credential.
struct CredentialReply: Sendable {
  let outcome: Result<Response, any Error>
  /// The head of the response; nil unless it came from a server that was sent the credential. A response of
  /// another origin says nothing about the credential.
  let head: ResponseHead?
  /// The canonical name of the origin whose server sent the head.
  let origin: String

  /// - Parameter trail: The origins that were sent the credential; nil for the request's origin alone.
  init(to request: Request, _ trail: CredentialTrail? = nil, _ send: () async throws -> Response) async {
    let own = request.originName
    let sent: (head: ResponseHead, origin: String?)?
    do {
      let response = try await send()
      outcome = .success(response)
      // An interceptor may have sent the request to another origin.
      let isOfTarget = request.url.map { $0 == response.url } ?? false
      sent = (response.head, isOfTarget ? own : Origin(response.url)?.text)
    } catch {
      outcome = .failure(error)
      let error = error as? RequestError
      sent = error?.status.map { (ResponseHead(status: $0, fields: error?.fields ?? [:]), error?.origin) }
    }
    guard let sent, let origin = sent.origin, trail?.contains(origin) ?? (origin == own) else {
      (head, self.origin) = (nil, own)
      return
    }
    (head, self.origin) = (sent.head, origin)
  }

  /// The stream of the response's body, if it is one.
  var stream: ByteStream? {
    if case .success(let response) = outcome, case .chunks(let stream) = response.body { stream } else { nil }
  }

  /// Discards the response. Returns when its request has left the wire.
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

/// The origins that were sent the credential of one attempt.
final class CredentialTrail: Sendable {
  private let origins = Locked<Set<String>>([])

  func add(_ origin: String) { origins.withLock { _ = $0.insert(origin) } }
  func contains(_ origin: String) -> Bool { origins.withLock { $0.contains(origin) } }
}
